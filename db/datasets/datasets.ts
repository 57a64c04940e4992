import { type Db, queryRows } from '../postgres/database.ts'
import { join, raw, type Sql, sql } from '../postgres/sql.ts'

export type DatasetStatus = 'received' | 'ready' | 'invalid' | 'deleted'

/** Additional Info: texts that clients save with a dataset. */
export type AdditionalInfo = Readonly<Record<string, string>>

/**
 * The name of the row that sealed values of `datasets d` belong to: its reference number, or the public id of the collection that they came
 * with. As a part of a statement.
 */
export const SEALED_NAME = raw(`case when d.collection_id is null then d.reference_number else (
  select o.public_id from collections o where o.subscription_id = d.subscription_id and o.id = d.collection_id
) end`)

/** The filters of an operator's command; a dataset of the subscription has to match all of them. */
export interface DatasetSelection {
  readonly referenceNumbers?: readonly string[]
  readonly status?: DatasetStatus
  /** Error code of an invalid dataset. */
  readonly reason?: string
  /** Uploaded at this time or later; any text that Postgres reads as a time. */
  readonly since?: string
  /** Uploaded before this time. */
  readonly until?: string
  /** Does not wait to be processed. */
  readonly settled?: true
}

/** The selection as conditions on `datasets`, each with `and` before it. */
export function selected(selection: DatasetSelection): Sql {
  const { referenceNumbers, status, reason, since, until, settled } = selection
  const conditions: Sql[] = []
  if (referenceNumbers) conditions.push(sql` and reference_number = any(${referenceNumbers})`)
  if (status) conditions.push(sql` and status = ${status}`)
  if (reason) conditions.push(sql` and invalid_code = ${reason}`)
  if (since) conditions.push(sql` and uploaded_at >= ${since}::timestamptz`)
  if (until) conditions.push(sql` and uploaded_at < ${until}::timestamptz`)
  if (settled) conditions.push(sql` and ring_at is null`)
  return join(conditions, '')
}

/** Counts the selected datasets that are ready. Reads all of them: for a progress bar. */
export async function countReady(
  db: Db,
  subscriptionId: number,
  selection: Pick<DatasetSelection, 'since' | 'until'>,
): Promise<number> {
  const [row] = await queryRows<{ datasets: number }>(
    db,
    sql`select count(*)::int as datasets from datasets
        where subscription_id = ${subscriptionId} ${selected({ ...selection, status: 'ready' })}`,
  )
  return row?.datasets ?? 0
}

/** Counts the selected datasets that are invalid by error code, the most frequent first. */
export async function countInvalid(
  db: Db,
  subscriptionId: number,
  selection: DatasetSelection,
): Promise<Record<string, number>> {
  const rows = await queryRows<{ code: string; datasets: number }>(
    db,
    sql`select invalid_code as code, count(*)::int as datasets from datasets
        where subscription_id = ${subscriptionId} ${selected({ ...selection, status: 'invalid' })}
        group by invalid_code order by datasets desc, code`,
  )
  return Object.fromEntries(rows.map(({ code, datasets }) => [code, datasets]))
}
