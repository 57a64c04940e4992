import { MAX_INFO_KEYS, saveAdditionalInfo } from '../../db/datasets/additional-info.ts'
import type { AdditionalInfo } from '../../db/datasets/datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { Problem } from '../http/problem.ts'

/** Saves Additional Info of a dataset, records the actor, and returns all that is saved. */
export type SaveInfo = (
  subscriptionId: number,
  referenceNumber: string,
  info: AdditionalInfo,
  actor: string,
) => Promise<AdditionalInfo>

/** Opens saving; new keys enqueue a recalculation of the insight, saved ones change nothing. */
export function openSaveInfo({ db, producer }: { db: Db; producer: QueueProducer }): SaveInfo {
  return async (subscriptionId, referenceNumber, info, actor) => {
    const saved = await saveAdditionalInfo(db, subscriptionId, referenceNumber, info, actor)
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
        if (saved.toEnqueue) void producer.tryEnqueue([saved.toEnqueue])
        return saved.additionalInfo
    }
  }
}
