import type { Actor } from '../../db/audit/actor.ts'
import { type CollectionInfoOutcome, saveCollectionInfo } from '../../db/collections/collection-info.ts'
import { MAX_INFO_KEYS, saveAdditionalInfo } from '../../db/datasets/additional-info.ts'
import type { AdditionalInfo } from '../../db/datasets/datasets.ts'
import { PLAIN_VAULT, type Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { Problem } from '../http/problem.ts'

/** Saves Additional Info of a dataset, records the actor, and returns all that is saved. */
export type SaveInfo = (
  subscriptionId: number,
  referenceNumber: string,
  info: AdditionalInfo,
  actor: Actor,
) => Promise<AdditionalInfo>

/**
 * Opens saving; by the number of a collection that is no dataset yet, its dataset gets the keys. New keys of a dataset enqueue a recalculation of the insight,
 * saved ones change nothing.
 */
export function openSaveInfo({
  db,
  producer,
  vault = PLAIN_VAULT,
}: {
  db: Db
  producer: QueueProducer
  vault?: Vault
}): SaveInfo {
  return async (subscriptionId, referenceNumber, info, actor) => {
    const save = () => saveAdditionalInfo(db, subscriptionId, referenceNumber, info, actor, vault)
    let saved: Awaited<ReturnType<typeof save>> | CollectionInfoOutcome = await save()
    if (saved.outcome === 'unknown')
      saved = await saveCollectionInfo(db, subscriptionId, referenceNumber, info, actor, vault)
    if (saved.outcome === 'unknown') saved = await save() // the collection may have become a dataset in between
    switch (saved.outcome) {
      case 'unknown':
        throw new Problem('dataset_not_found')
      case 'deleted':
        throw new Problem('dataset_deleted')
      case 'too_many_keys':
        throw new Problem('validation_failed', {
          errors: { additionalInfo: [`must have at most ${MAX_INFO_KEYS} keys, including the saved ones`] },
        })
      case 'conflict':
        throw new Problem('additional_info_conflict', {
          errors: Object.fromEntries(
            saved.keys.map((key) => [
              `additionalInfo.${key}`,
              ['is saved with another value, which cannot be changed'],
            ]),
          ),
        })
      case 'saved':
        if ('toEnqueue' in saved && saved.toEnqueue) void producer.tryEnqueue([saved.toEnqueue])
        return saved.additionalInfo
    }
  }
}
