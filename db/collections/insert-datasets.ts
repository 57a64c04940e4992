import { ACTOR_COLUMNS } from '../audit/actor-columns.ts'
import { RECEIVED } from '../datasets/dataset-feed.ts'
import { ENQUEUE_TIMEOUT } from '../datasets/outbox.ts'
import { recordingOf } from '../events/record-events.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { type CollectionKey, unnestCollections } from './collections.ts'

/** A dataset that a collection has become; its blob is null until a worker assembles it. */
export interface CollectedDataset {
  readonly subscriptionId: number
  readonly collectionId: number
  readonly datasetId: number
  readonly referenceNumber: string
  /** UTC with six fractional digits. */
  readonly uploadDate: string
}

/**
 * Turns collections into datasets that wait in the outbox, for a worker to assemble: those of the given ones that have a reference
 * number and are no dataset yet. Their timelines get who saved Additional Info before. The caller has locked them, and enqueues the datasets after the commit.
 *
 * A collection is left as it is if an upload took its reference number in the instant in which it was opened.
 *
 * @returns the new datasets; a collection that is missing here had no number, was a dataset before, or lost its number.
 */
export async function insertCollectedDatasets(
  trx: Db,
  keys: readonly CollectionKey[],
): Promise<CollectedDataset[]> {
  if (keys.length === 0) return []
  return queryRows(
    trx,
    // sealed values still belong to the collection; data_hash identifies no upload: no client can send data with this hash
    sql`with inserted as (
          insert into datasets
            (subscription_id, reference_number, data_hash, real_ip, sealed_ip, additional_info, sealed_info, ring_at,
             collection_id)
          select c.subscription_id, c.reference_number, sha256(convert_to(c.public_id, 'UTF8')),
                 case when c.sealed_completed_address is null then coalesce(c.completed_address, c.opened_address) end,
                 case when c.completed_address is null
                      then coalesce(c.sealed_completed_address, c.sealed_opened_address) end,
                 c.additional_info, c.sealed_info, now() + ${raw(ENQUEUE_TIMEOUT)}, c.id
          from ${unnestCollections(keys)}
          cross join lateral (
            select * from collections where subscription_id = k.subscription_id and id = k.id limit 1
          ) c
          where c.reference_number is not null and c.dataset_id is null
          order by c.subscription_id, c.reference_number
          on conflict (subscription_id, reference_number) do nothing
          returning subscription_id, id, reference_number, collection_id, uploaded_at
        ), recorded as (${raw(recordingOf(RECEIVED))}), info_saved as (
          insert into dataset_events (subscription_id, dataset_id, at, event, ${ACTOR_COLUMNS}, detail)
          select i.subscription_id, i.id, s.at, 'info_saved', s.actor, s.kind, s.id, jsonb_build_object('keys', s.keys)
          from inserted i
          cross join lateral (
            select info_saves from collections where subscription_id = i.subscription_id and id = i.collection_id limit 1
          ) c
          cross join lateral jsonb_to_recordset(c.info_saves)
            as s (at timestamptz, actor text, kind text, id bigint, keys jsonb)
          order by s.at
        )
        update collections c set dataset_id = i.id, due_at = null, info_saves = null from inserted i
        where c.subscription_id = i.subscription_id and c.id = i.collection_id
        returning c.subscription_id as "subscriptionId", c.id as "collectionId", i.id as "datasetId",
                  i.reference_number as "referenceNumber", ${utcText('i.uploaded_at')} as "uploadDate"`,
  )
}
