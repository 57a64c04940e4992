import type { SealedInfo } from '../encryption/personal-data.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { isUniqueViolation } from '../postgres/database-errors.ts'
import { sql } from '../postgres/sql.ts'
import type { CollectionKey } from './collections.ts'
import { CLAIM_HOURS, lockCollections } from './complete-collections.ts'
import { type CollectedDataset, insertCollectedDatasets } from './insert-datasets.ts'

/**
 * The outcome of claiming. `claimed` now or `repeated` with the same number: `uploadDate` is null while the browser is still
 * collecting. `conflict`: it has another number. `limited`: a limit is reached; the collection can be claimed later. `taken`: a dataset or another collection has the number.
 */
export type ClaimOutcome =
  | {
      readonly outcome: 'claimed' | 'repeated'
      readonly uploadDate: string | null
      /** Set if this call has made the dataset: the caller enqueues it. */
      readonly toEnqueue: CollectedDataset | undefined
    }
  | { readonly outcome: 'conflict' | 'limited' | 'taken' | 'unknown' }

interface Claimed {
  readonly referenceNumber: string | null
  readonly completed: boolean
  readonly expired: boolean
  readonly uploadDate: string | null
}

/**
 * Gives a collection its reference number and Additional Info, once, within 24 hours of its opening. A completed one becomes a dataset
 * in the same commit; one whose browser has stopped sending does at the worker's next check.
 *
 * @param isLimited whether a limit is reached, so that it must not be claimed now.
 */
export async function claimCollection(
  db: Db,
  key: CollectionKey,
  referenceNumber: string,
  additionalInfo: SealedInfo['additionalInfo'],
  sealedInfo: SealedInfo['sealedInfo'] = null,
  isLimited = false,
): Promise<ClaimOutcome> {
  const info = { additionalInfo, sealedInfo }
  try {
    return await db.transaction((trx) => claim(trx, key, referenceNumber, info, isLimited))
  } catch (error) {
    if (isUniqueViolation(error)) return { outcome: 'taken' } // another collection has the number
    throw error
  }
}

async function claim(
  trx: Db,
  key: CollectionKey,
  referenceNumber: string,
  { additionalInfo, sealedInfo }: SealedInfo,
  isLimited: boolean,
): Promise<ClaimOutcome> {
  const { subscriptionId, id } = key
  const [, [found]] = await Promise.all([
    lockCollections(trx, [key]),
    queryRows<Claimed>(
      trx,
      sql`select c.reference_number as "referenceNumber", c.completed_at is not null as completed,
                 c.opened_at <= now() - make_interval(hours => ${CLAIM_HOURS}) as expired,
                 ${utcText('d.uploaded_at')} as "uploadDate"
          from collections c
          left join datasets d on d.subscription_id = c.subscription_id and d.id = c.dataset_id
          where c.subscription_id = ${subscriptionId} and c.id = ${id}`,
    ),
  ])
  if (!found) return { outcome: 'unknown' }
  if (found.referenceNumber === referenceNumber)
    return { outcome: 'repeated', uploadDate: found.uploadDate, toEnqueue: undefined }
  if (found.referenceNumber !== null) return { outcome: 'conflict' }
  if (found.expired) return { outcome: 'unknown' }
  if (isLimited) return { outcome: 'limited' }

  const [claimed] = await queryRows(
    trx,
    sql`update collections set reference_number = ${referenceNumber}, claimed_at = now(),
          additional_info = ${JSON.stringify(additionalInfo)}::jsonb, sealed_info = ${sealedInfo},
          due_at = now() -- it may have been abandoned before
        where subscription_id = ${subscriptionId} and id = ${id} and not exists (
          select from datasets where subscription_id = ${subscriptionId} and reference_number = ${referenceNumber}
        )
        returning id`,
  )
  if (!claimed) return { outcome: 'taken' }
  const [dataset] = found.completed ? await insertCollectedDatasets(trx, [key]) : []
  return { outcome: 'claimed', uploadDate: dataset?.uploadDate ?? null, toEnqueue: dataset }
}
