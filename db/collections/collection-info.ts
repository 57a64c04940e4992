import { type Actor, actorText } from '../audit/actor.ts'
import { MAX_INFO_KEYS } from '../datasets/additional-info.ts'
import type { AdditionalInfo } from '../datasets/datasets.ts'
import { openInfo, type SealedInfo, sealInfo } from '../encryption/personal-data.ts'
import { PLAIN_VAULT, type Vault } from '../encryption/vault.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** The outcome of an attempt to save Additional Info of a collection; `unknown` if no open collection has the number. */
export type CollectionInfoOutcome =
  | { readonly outcome: 'saved'; readonly additionalInfo: AdditionalInfo }
  | { readonly outcome: 'conflict'; readonly keys: readonly string[] }
  | { readonly outcome: 'unknown' | 'too_many_keys' }

/**
 * Saves Additional Info by the number of a collection that is no dataset yet, by the rules of `saveAdditionalInfo`: all keys or, if
 * one of them is saved with another value, none. The dataset gets it, and its timeline the actor, the time and the new keys.
 *
 * @throws DataKeyError if the saved values cannot be decrypted.
 */
export async function saveCollectionInfo(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  info: AdditionalInfo,
  actor: Actor,
  vault: Vault = PLAIN_VAULT,
): Promise<CollectionInfoOutcome> {
  await vault.findKeys(subscriptionId) // cached before a row is locked
  return db.transaction(async (trx) => {
    const [collection] = await queryRows<SealedInfo & { id: number; name: string }>(
      trx,
      sql`select id, additional_info as "additionalInfo", sealed_info as "sealedInfo", public_id as name from collections
          where subscription_id = ${subscriptionId} and reference_number = ${referenceNumber} and dataset_id is null
          for update`,
    )
    if (!collection) return { outcome: 'unknown' }
    const { id, name } = collection
    const owner = { subscriptionId, name }
    const saved = await openInfo(vault, owner, collection)
    const keys = Object.keys(info).filter((key) => Object.hasOwn(saved, key) && saved[key] !== info[key])
    if (keys.length > 0) return { outcome: 'conflict', keys }
    const additionalInfo = { ...saved, ...info }
    if (Object.keys(additionalInfo).length > MAX_INFO_KEYS) return { outcome: 'too_many_keys' }
    const fresh = Object.keys(info).filter((key) => !Object.hasOwn(saved, key))
    if (fresh.length === 0) return { outcome: 'saved', additionalInfo }
    const stored = await sealInfo(vault, owner, additionalInfo)
    await queryRows(
      trx,
      sql`update collections set additional_info = ${JSON.stringify(stored.additionalInfo)}::jsonb,
            sealed_info = ${stored.sealedInfo},
            info_saves = coalesce(info_saves, '[]') || jsonb_build_object(
              'at', statement_timestamp(), 'actor', ${actorText(actor)}::text, 'kind', ${actor.kind}::text,
              'id', ${actor.id}::bigint, 'keys', ${JSON.stringify(fresh)}::jsonb)
          where subscription_id = ${subscriptionId} and id = ${id}`,
    )
    return { outcome: 'saved', additionalInfo }
  })
}
