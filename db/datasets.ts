import type { Platform } from './capture.ts'
import { type Db, queryRows, sixDigits } from './database.ts'
import type { Velocity } from './velocity-counts.ts'

export type DatasetStatus = 'received' | 'ready' | 'invalid' | 'deleted'

/** Additional Info: what clients save beside a dataset. */
export type AdditionalInfo = Readonly<Record<string, string>>

/** A dataset as an operator sees it: never its data. */
export interface DatasetListing {
  readonly referenceNumber: string
  readonly status: DatasetStatus
  readonly platform: Platform | null
  readonly uploadedAt: string
  readonly settledAt: string | null
  readonly waiting: boolean
  readonly invalid: { readonly code: string; readonly detail: string } | null
}

const LISTING = `
  reference_number as "referenceNumber", status, platform, ${sixDigits('uploaded_at')} as "uploadedAt",
  ${sixDigits('settled_at')} as "settledAt", ring_at is not null as waiting,
  case when invalid_code is not null then jsonb_build_object('code', invalid_code, 'detail', invalid_detail) end as invalid`

/** The datasets of a status, newest first, at most `limit`. */
export async function listDatasets(
  db: Db,
  subscriptionId: number,
  status: DatasetStatus,
  limit: number,
): Promise<DatasetListing[]> {
  return queryRows(
    db,
    `select ${LISTING} from datasets where subscription_id = ? and status = ? order by id desc limit ?`,
    [subscriptionId, status, limit],
  )
}

export async function findDataset(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<(DatasetListing & { additionalInfo: AdditionalInfo; velocity: Velocity | null }) | undefined> {
  const [dataset] = await queryRows<
    DatasetListing & { additionalInfo: AdditionalInfo; velocity: Velocity | null }
  >(
    db,
    `select ${LISTING}, additional_info as "additionalInfo", velocity
     from datasets where subscription_id = ? and reference_number = ?`,
    [subscriptionId, referenceNumber],
  )
  return dataset
}
