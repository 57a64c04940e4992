import { type Db, queryRows } from './database.ts'
import type { AdditionalInfo, DatasetStatus } from './datasets.ts'
import type { DatasetKey } from './queue.ts'
import { PATIENCE } from './waiting-datasets.ts'

/** Keys that one dataset can have in all, over any number of calls. */
export const MAX_INFO_KEYS = 1_000

/** What became of an attempt to save Additional Info. */
export type InfoOutcome =
  | {
      readonly outcome: 'saved'
      readonly additionalInfo: AdditionalInfo
      /** Set when the insight has to be calculated again: ring for it. */
      readonly due: DatasetKey | undefined
    }
  | { readonly outcome: 'conflict'; readonly keys: readonly string[] }
  | { readonly outcome: 'unknown' | 'deleted' | 'too_many_keys' }

/**
 * Saves all keys or, if one of them is saved with another value, none.
 *
 * One statement: a concurrent call waits for the row's lock and is then judged against what the first one saved.
 */
export async function saveAdditionalInfo(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  info: AdditionalInfo,
): Promise<InfoOutcome> {
  const json = JSON.stringify(info)
  const [saved] = await queryRows<DatasetKey & { additionalInfo: AdditionalInfo; due: boolean }>(
    db,
    `update datasets d set
       additional_info = d.additional_info || n.info,
       ring_at = case when d.status = 'ready' and d.blob is not null and not d.additional_info @> n.info
                      then now() + ${PATIENCE} else d.ring_at end
     from (select ?::jsonb as info) n
     where d.subscription_id = ? and d.reference_number = ? and d.status <> 'deleted'
       and not exists (select from jsonb_each_text(n.info) e where d.additional_info ->> e.key <> e.value)
       and (select count(*) from jsonb_object_keys(d.additional_info || n.info)) <= ?
     returning d.subscription_id as "subscriptionId", d.id, d.additional_info as "additionalInfo",
               d.status = 'ready' and d.ring_at is not null as due`,
    [json, subscriptionId, referenceNumber, MAX_INFO_KEYS],
  )
  if (saved)
    return { outcome: 'saved', additionalInfo: saved.additionalInfo, due: saved.due ? saved : undefined }

  const [dataset] = await queryRows<{ status: DatasetStatus; additionalInfo: AdditionalInfo }>(
    db,
    `select status, additional_info as "additionalInfo" from datasets
     where subscription_id = ? and reference_number = ?`,
    [subscriptionId, referenceNumber],
  )
  if (!dataset) return { outcome: 'unknown' }
  if (dataset.status === 'deleted') return { outcome: 'deleted' }
  const keys = Object.keys(info).filter(
    (key) => Object.hasOwn(dataset.additionalInfo, key) && dataset.additionalInfo[key] !== info[key],
  )
  if (keys.length > 0) return { outcome: 'conflict', keys }
  if (Object.keys({ ...dataset.additionalInfo, ...info }).length > MAX_INFO_KEYS)
    return { outcome: 'too_many_keys' }
  // nothing is in the way any more: the dataset was committed after the first statement had looked for it
  return saveAdditionalInfo(db, subscriptionId, referenceNumber, info)
}
