import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { CollectionKey } from './collections.ts'

/**
 * Erases a collection with its segments, unless it has become a dataset, which the subscription deletes.
 *
 * @returns whether it was erased, is a dataset, or was unknown already.
 */
export async function withdrawCollection(
  db: Db,
  { subscriptionId, id }: CollectionKey,
): Promise<'erased' | 'dataset' | 'unknown'> {
  const key = sql`subscription_id = ${subscriptionId} and id = ${id}`
  const erased = await queryRows(
    db,
    sql`delete from collections where ${key} and dataset_id is null returning id`,
  )
  if (erased.length > 0) return 'erased'
  const [kept] = await queryRows(db, sql`select from collections where ${key}`)
  return kept ? 'dataset' : 'unknown'
}
