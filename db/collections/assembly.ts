import { type DatasetKey, unnestKeys } from '../datasets/dataset-key.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'
import type { CollectionLevel, CollectionRequest } from './collections.ts'

/** A collection that has become a dataset whose capture is not assembled yet. */
export interface CollectedDataset extends DatasetKey {
  readonly collectionId: number
  readonly publicId: string
  readonly level: CollectionLevel
  readonly origin: string
  /** Derived by the service from the browser's random value; null if the browser sent none. */
  readonly deviceId: string | null
  readonly request: CollectionRequest
  /** Segments that the browser has sent, by its own count; null if it did not complete the collection. */
  readonly announced: number | null
  readonly ended: 'complete' | 'abandoned'
  readonly uploadedAt: Date
  /** Gzipped JSON of each stored segment, in the order of `n`; sealed where the subscription's data is encrypted. */
  readonly segments: readonly Buffer[]
  /** `n` of each. */
  readonly numbers: readonly number[]
}

/** Lists those of the waiting datasets whose capture is still in the segments of their collection, in key order. */
export async function listCollected(db: Db, keys: readonly DatasetKey[]): Promise<CollectedDataset[]> {
  return queryRows(
    db,
    sql`select d.subscription_id as "subscriptionId", d.id, c.id as "collectionId", c.public_id as "publicId", c.level, c.origin,
               c.device_id as "deviceId", c.request, c.announced, d.uploaded_at as "uploadedAt",
               case when c.completed_at is null then 'abandoned' else 'complete' end as ended,
               array(select s.body from collection_segments s
                     where s.subscription_id = c.subscription_id and s.collection_id = c.id order by s.n) as segments,
               array(select s.n from collection_segments s
                     where s.subscription_id = c.subscription_id and s.collection_id = c.id order by s.n) as numbers
        from datasets d join ${unnestKeys(keys)} using (subscription_id, id)
        join collections c on c.subscription_id = d.subscription_id and c.id = d.collection_id
        where d.blob is null and d.status = 'received' and d.ring_at is not null
        order by d.subscription_id, d.id`,
  )
}

/** A dataset with the blob that was assembled from its collection. */
export interface AssembledDataset extends DatasetKey {
  readonly collectionId: number
  readonly blob: Buffer
}

/**
 * Stores assembled blobs and removes the segments that they were assembled from, in one transaction. A dataset that was deleted or
 * assembled by another worker meanwhile is left as it is.
 */
export async function storeAssembled(db: Db, assembled: readonly AssembledDataset[]): Promise<void> {
  const rows = valueRows(
    ['integer', 'bigint', 'bigint', 'bytea'],
    assembled.map(({ subscriptionId, id, collectionId, blob }) => [subscriptionId, id, collectionId, blob]),
  )
  await queryRows(
    db,
    // locks in key order, as workers that claim datasets do
    sql`with assembled as materialized (
          select * from (values ${rows}) v (subscription_id, id, collection_id, blob)
        ), locked as materialized (
          select d.subscription_id, d.id from datasets d join assembled using (subscription_id, id)
          where d.blob is null and d.status = 'received'
          order by d.subscription_id, d.id for update of d
        ), stored as (
          update datasets d set blob = a.blob
          from locked l join assembled a using (subscription_id, id)
          where d.subscription_id = l.subscription_id and d.id = l.id
          returning a.subscription_id, a.collection_id
        )
        delete from collection_segments s using stored
        where s.subscription_id = stored.subscription_id and s.collection_id = stored.collection_id`,
  )
}
