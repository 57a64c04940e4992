import type { Actor } from '../audit/actor.ts'
import { ACTOR_COLUMNS, actorValues } from '../audit/actor-columns.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import type { DatasetKey } from './dataset-key.ts'
import type { AdditionalInfo, DatasetStatus } from './datasets.ts'
import { ENQUEUE_TIMEOUT } from './outbox.ts'

/** Keys that one dataset can have in all, over any number of calls. */
export const MAX_INFO_KEYS = 1_000

/** The outcome of an attempt to save Additional Info. */
export type InfoOutcome =
  | {
      readonly outcome: 'saved'
      readonly additionalInfo: AdditionalInfo
      /** Set if the insight has to be calculated again: the caller enqueues it. */
      readonly toEnqueue: DatasetKey | undefined
    }
  | { readonly outcome: 'conflict'; readonly keys: readonly string[] }
  | { readonly outcome: 'unknown' | 'deleted' | 'too_many_keys' }

/**
 * Saves all keys or, if one of them is saved with another value, none.
 *
 * One statement: a concurrent call waits for the row's lock, and is then compared with the keys that the first call saved.
 *
 * @param actor the caller, for the dataset's timeline.
 */
export async function saveAdditionalInfo(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  info: AdditionalInfo,
  actor: Actor,
): Promise<InfoOutcome> {
  const [saved] = await queryRows<DatasetKey & { additionalInfo: AdditionalInfo; recalculate: boolean }>(
    db,
    // locked first, to distinguish new keys from those that a concurrent call has just saved; a dataset whose data retention
    // removed is recalculated from its stored features
    sql`with before as (
          select d.subscription_id, d.id, d.additional_info as info, n.info as sent,
                 n.info - array(select jsonb_object_keys(d.additional_info)) as fresh
          from datasets d cross join (select ${JSON.stringify(info)}::jsonb as info) n
          where d.subscription_id = ${subscriptionId} and d.reference_number = ${referenceNumber}
            and d.status <> 'deleted'
          for update of d
        ), saved as (
          update datasets d set
            additional_info = b.info || b.fresh,
            ring_at = case when d.status = 'ready' and b.fresh <> '{}'
                           then now() + ${raw(ENQUEUE_TIMEOUT)} else d.ring_at end
          from before b
          where d.subscription_id = b.subscription_id and d.id = b.id and (b.info || b.fresh) @> b.sent
            and (select count(*) from jsonb_object_keys(b.info || b.fresh)) <= ${MAX_INFO_KEYS}
          returning d.subscription_id, d.id, d.additional_info,
                    d.status = 'ready' and d.ring_at is not null as recalculate, b.fresh
        ), recorded as (
          insert into dataset_events (subscription_id, dataset_id, event, ${ACTOR_COLUMNS}, detail)
          select subscription_id, id, 'info_saved', ${actorValues(actor)},
                 jsonb_build_object('keys', (select jsonb_agg(key) from jsonb_object_keys(fresh) key))
          from saved where fresh <> '{}'
        )
        select subscription_id as "subscriptionId", id, additional_info as "additionalInfo", recalculate from saved`,
  )
  if (saved)
    return {
      outcome: 'saved',
      additionalInfo: saved.additionalInfo,
      toEnqueue: saved.recalculate ? saved : undefined,
    }

  const [dataset] = await queryRows<{ status: DatasetStatus; additionalInfo: AdditionalInfo }>(
    db,
    sql`select status, additional_info as "additionalInfo" from datasets
        where subscription_id = ${subscriptionId} and reference_number = ${referenceNumber}`,
  )
  if (!dataset) return { outcome: 'unknown' }
  if (dataset.status === 'deleted') return { outcome: 'deleted' }
  const keys = Object.keys(info).filter(
    (key) => Object.hasOwn(dataset.additionalInfo, key) && dataset.additionalInfo[key] !== info[key],
  )
  if (keys.length > 0) return { outcome: 'conflict', keys }
  if (Object.keys({ ...dataset.additionalInfo, ...info }).length > MAX_INFO_KEYS)
    return { outcome: 'too_many_keys' }
  // nothing prevents it any more: the dataset was committed after the first statement had read
  return saveAdditionalInfo(db, subscriptionId, referenceNumber, info, actor)
}
