import type { SpanContext } from '@opentelemetry/api'
import type { StoredInfo } from '../encryption/personal-data.ts'
import { recordingOf } from '../events/record-events.ts'
import { type Db, queryRows, sixDigits, utcText } from '../postgres/database.ts'
import { isUniqueViolation } from '../postgres/database-errors.ts'
import { prepareRows } from '../postgres/prepared-rows.ts'
import { sql } from '../postgres/sql.ts'
import { RECEIVED } from './dataset-feed.ts'
import type { DatasetKey } from './dataset-key.ts'
import type { AdditionalInfo, DatasetStatus } from './datasets.ts'
import { ENQUEUE_TIMEOUT } from './outbox.ts'

/** An upload to store. */
export interface Upload {
  readonly subscriptionId: number
  readonly referenceNumber: string
  /** SHA-256 of `data` as sent, which distinguishes a retry from another dataset. */
  readonly dataHash: Buffer
  /** `data`, base64-decoded. */
  readonly blob: Buffer
  readonly realIp: string | null
  readonly additionalInfo: AdditionalInfo
}

/** An upload as it is stored: encrypted, if its subscription's data is. */
export interface StoredUpload extends Omit<Upload, 'additionalInfo'> {
  readonly additionalInfo: StoredInfo
  readonly sealedInfo?: Buffer | null
  /** The request that sent it, if that is sampled. */
  readonly trace?: SpanContext | undefined
}

/** The outcome of one upload. */
export type Receipt =
  | { readonly outcome: 'received' | 'repeated'; readonly key: DatasetKey; readonly uploadDate: string }
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'deleted' }

const keyOf = (row: { subscriptionId: number; referenceNumber: string }) =>
  `${row.subscriptionId} ${row.referenceNumber}`

interface Inserted {
  readonly subscriptionId: number
  readonly id: number
  readonly referenceNumber: string
  readonly uploadDate: string
}

const insertDatasets = prepareRows<Inserted>(
  ['integer', 'text', 'bytea', 'bytea', 'text', 'jsonb', 'bytea'],
  (rows) => `
    with inserted as (
      insert into datasets
        (subscription_id, reference_number, data_hash, blob, real_ip, additional_info, sealed_info, ring_at)
      select *, now() + ${ENQUEUE_TIMEOUT} from ${rows} uploads
      on conflict (subscription_id, reference_number) do nothing
      returning subscription_id, id, reference_number, uploaded_at
    ), recorded as (${recordingOf(RECEIVED)})
    select subscription_id as "subscriptionId", id, reference_number as "referenceNumber",
           ${sixDigits('uploaded_at')} as "uploadDate"
    from inserted`,
)

/**
 * Stores a batch of uploads in one statement and one commit; it is committed when this resolves.
 *
 * @returns a receipt for each upload, in their order. Of two uploads with the same reference number, the first is received.
 */
export async function receiveDatasets(db: Db, uploads: readonly StoredUpload[]): Promise<Receipt[]> {
  for (let attempt = 1; ; attempt++)
    try {
      return await receiveOnce(db, uploads)
    } catch (error) {
      if (attempt === ATTEMPTS || !isUniqueViolation(error)) throw error
    }
}

/**
 * While a unique index is built concurrently, by a migration or an operator, `on conflict` ignores it: of two concurrent first
 * uploads of one number, one fails. The other is committed by then, and the next attempt finds it.
 */
const ATTEMPTS = 3

async function receiveOnce(db: Db, uploads: readonly StoredUpload[]): Promise<Receipt[]> {
  // in key order, so that batches of several processes with the same new reference numbers wait for each other, not deadlock
  const sorted = uploads.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)]
    return left < right ? -1 : left > right ? 1 : 0
  })
  const inserted = await insertDatasets(
    db,
    sorted.map((upload) => [
      upload.subscriptionId,
      upload.referenceNumber,
      upload.dataHash,
      upload.blob,
      upload.realIp,
      JSON.stringify(upload.additionalInfo),
      upload.sealedInfo ?? null,
    ]),
  )
  const fresh = new Map(inserted.map((row) => [keyOf(row), row]))
  const receipts = new Map<StoredUpload, Receipt>()
  for (const upload of uploads) {
    const row = fresh.get(keyOf(upload))
    if (!row) continue
    fresh.delete(keyOf(upload)) // a second upload of the same number in this batch is a retry of the first
    receipts.set(upload, { outcome: 'received', key: row, uploadDate: row.uploadDate })
  }
  const others = uploads.filter((upload) => !receipts.has(upload))
  if (others.length > 0) {
    const existing = await findForRetry(db, others)
    for (const upload of others) receipts.set(upload, receiptOfRetry(upload, existing.get(keyOf(upload))))
  }
  return uploads.map((upload) => receipts.get(upload) as Receipt)
}

interface Existing {
  readonly subscriptionId: number
  readonly id: number
  readonly referenceNumber: string
  readonly status: DatasetStatus
  readonly dataHash: Buffer
  readonly uploadDate: string
}

/** Returns the receipts of repeated uploads, in their order, without storing anything; undefined for a number that has no dataset. */
export async function findReceipts(db: Db, uploads: readonly Retried[]): Promise<(Receipt | undefined)[]> {
  const existing = await findForRetry(db, uploads)
  return uploads.map((upload) => {
    const found = existing.get(keyOf(upload))
    return found && receiptOfRetry(upload, found)
  })
}

type Retried = Pick<Upload, 'subscriptionId' | 'referenceNumber' | 'dataHash'>

async function findForRetry(db: Db, uploads: readonly Retried[]): Promise<Map<string, Existing>> {
  const rows = await queryRows<Existing>(
    db,
    sql`select d.subscription_id as "subscriptionId", d.id, d.reference_number as "referenceNumber", d.status,
               d.data_hash as "dataHash", ${utcText('d.uploaded_at')} as "uploadDate"
        from datasets d
        join unnest(${uploads.map((upload) => upload.subscriptionId)}::integer[],
                    ${uploads.map((upload) => upload.referenceNumber)}::text[]) k (subscription_id, reference_number)
          using (subscription_id, reference_number)`,
  )
  return new Map(rows.map((row) => [keyOf(row), row]))
}

function receiptOfRetry(upload: Retried, existing: Existing | undefined): Receipt {
  if (!existing) throw new Error('A reference number is taken, but its dataset was not found')
  if (existing.status === 'deleted') return { outcome: 'deleted' }
  if (!existing.dataHash.equals(upload.dataHash)) return { outcome: 'taken' }
  return { outcome: 'repeated', key: existing, uploadDate: existing.uploadDate }
}
