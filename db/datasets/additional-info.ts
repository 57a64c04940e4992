import type { Actor } from '../audit/actor.ts'
import { ACTOR_COLUMNS, actorValues } from '../audit/actor-columns.ts'
import {
  openAddress,
  openInfo,
  type SealedAddress,
  type SealedInfo,
  sealPersonal,
} from '../encryption/personal-data.ts'
import { PLAIN_VAULT, type Vault } from '../encryption/vault.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import type { DatasetKey } from './dataset-key.ts'
import { type AdditionalInfo, type DatasetStatus, SEALED_NAME } from './datasets.ts'
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
 * Saves all keys or, if one of them is saved with another value, none. A concurrent call waits for the row's lock, and is then compared with the
 * keys that the first call saved.
 *
 * @param actor the caller, for the dataset's timeline.
 * @throws DataKeyError if the saved values cannot be decrypted.
 */
export async function saveAdditionalInfo(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  info: AdditionalInfo,
  actor: Actor,
  vault: Vault = PLAIN_VAULT,
): Promise<InfoOutcome> {
  await vault.findKeys(subscriptionId) // cached before a row is locked
  return db.transaction(async (trx) => {
    const [dataset] = await queryRows<
      SealedInfo & SealedAddress & { id: number; status: DatasetStatus; waits: boolean; name: string }
    >(
      trx,
      sql`select d.id, d.status, d.ring_at is not null as waits, d.additional_info as "additionalInfo",
                 d.sealed_info as "sealedInfo", d.real_ip as address, d.sealed_ip as "sealedAddress", ${SEALED_NAME} as name
          from datasets d
          where d.subscription_id = ${subscriptionId} and d.reference_number = ${referenceNumber}
          for no key update of d`,
    )
    if (!dataset) return { outcome: 'unknown' }
    const { id, status, name } = dataset
    if (status === 'deleted') return { outcome: 'deleted' }
    const owner = { subscriptionId, name }
    const saved = await openInfo(vault, owner, dataset)
    const conflicts = Object.keys(info).filter((key) => Object.hasOwn(saved, key) && saved[key] !== info[key])
    if (conflicts.length > 0) return { outcome: 'conflict', keys: conflicts }
    const fresh = Object.keys(info).filter((key) => !Object.hasOwn(saved, key))
    const additionalInfo = { ...saved, ...info }
    if (Object.keys(additionalInfo).length > MAX_INFO_KEYS) return { outcome: 'too_many_keys' }
    if (fresh.length > 0) {
      const address = await openAddress(vault, owner, dataset)
      const sealed = await sealPersonal(vault, owner, additionalInfo, address)
      await store(trx, { subscriptionId, id }, sealed, fresh, actor)
    }
    const isRecalculated = status === 'ready' && (fresh.length > 0 || dataset.waits)
    return {
      outcome: 'saved',
      additionalInfo,
      toEnqueue: isRecalculated ? { subscriptionId, id } : undefined,
    }
  })
}

/** Stores the info of a locked dataset; a ready one waits to be processed again, also without its data: its features are stored. */
async function store(
  trx: Db,
  { subscriptionId, id }: DatasetKey,
  { additionalInfo, sealedInfo, address }: SealedInfo & SealedAddress,
  fresh: readonly string[],
  actor: Actor,
): Promise<void> {
  await queryRows(
    trx,
    sql`with saved as (
          update datasets d set additional_info = ${JSON.stringify(additionalInfo)}::jsonb, sealed_info = ${sealedInfo},
            real_ip = ${address}, sealed_ip = null,
            ring_at = case when d.status = 'ready' then now() + ${raw(ENQUEUE_TIMEOUT)} else d.ring_at end
          where d.subscription_id = ${subscriptionId} and d.id = ${id}
        )
        insert into dataset_events (subscription_id, dataset_id, event, ${ACTOR_COLUMNS}, detail)
        values (${subscriptionId}, ${id}, 'info_saved', ${actorValues(actor)}, ${JSON.stringify({ keys: fresh })}::jsonb)`,
  )
}
