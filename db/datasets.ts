import type { Platform } from './capture.ts'
import { type Db, queryRows, sixDigits, valuesOf } from './database.ts'
import type { DatasetKey } from './queue.ts'
import type { Velocity } from './velocity-counts.ts'

export type DatasetStatus = 'received' | 'ready' | 'invalid' | 'deleted'

/** Additional Info: what clients save beside a dataset. */
export type AdditionalInfo = Readonly<Record<string, string>>

/** An upload as the store takes it. */
export interface Upload {
  readonly subscriptionId: number
  readonly referenceNumber: string
  /** SHA-256 of `data` as sent, by which a retry is told from another dataset. */
  readonly dataHash: Buffer
  /** `data`, base64-decoded. */
  readonly blob: Buffer
  readonly realIp: string | null
  readonly additionalInfo: AdditionalInfo
}

/** What became of one upload. */
export type Receipt =
  | { readonly outcome: 'received' | 'repeated'; readonly key: DatasetKey; readonly uploadDate: string }
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'deleted' }

/** Time that a waiting dataset has before the relay rings for it; longer than a queue that is not in trouble takes. */
const PATIENCE = "interval '15 seconds'"

const keyOf = (row: { subscriptionId: number; referenceNumber: string }) =>
  `${row.subscriptionId} ${row.referenceNumber}`

/**
 * Stores a group of uploads in one statement and one commit; committed when this resolves.
 *
 * @returns a receipt for each upload, in their order. Of two uploads with one reference number the first is received.
 */
export async function receiveDatasets(db: Db, uploads: readonly Upload[]): Promise<Receipt[]> {
  // In key order, so that groups of several processes with the same new reference numbers queue up, not deadlock.
  const sorted = uploads.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)]
    return left < right ? -1 : left > right ? 1 : 0
  })
  const { sql, bindings } = valuesOf(
    ['integer', 'text', 'bytea', 'bytea', 'text', 'jsonb'],
    sorted.map((upload) => [
      upload.subscriptionId,
      upload.referenceNumber,
      upload.dataHash,
      upload.blob,
      upload.realIp,
      JSON.stringify(upload.additionalInfo),
    ]),
  )
  const inserted = await queryRows<{
    subscriptionId: number
    id: number
    referenceNumber: string
    uploadDate: string
  }>(
    db,
    `insert into datasets (subscription_id, reference_number, data_hash, blob, real_ip, additional_info, ring_at)
     select v.*, now() + ${PATIENCE} from (values ${sql}) v
     on conflict (subscription_id, reference_number) do nothing
     returning subscription_id as "subscriptionId", id, reference_number as "referenceNumber",
               ${sixDigits('uploaded_at')} as "uploadDate"`,
    bindings,
  )
  const fresh = new Map(inserted.map((row) => [keyOf(row), row]))
  const receipts = new Map<Upload, Receipt>()
  for (const upload of uploads) {
    const row = fresh.get(keyOf(upload))
    if (!row) continue
    fresh.delete(keyOf(upload)) // a second upload of the same number in this group is a retry of the first
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

async function findForRetry(db: Db, uploads: readonly Upload[]): Promise<Map<string, Existing>> {
  const rows = await queryRows<Existing>(
    db,
    `select d.subscription_id as "subscriptionId", d.id, d.reference_number as "referenceNumber", d.status,
            d.data_hash as "dataHash", ${sixDigits('d.uploaded_at')} as "uploadDate"
     from datasets d join unnest(?::integer[], ?::text[]) k (subscription_id, reference_number)
       using (subscription_id, reference_number)`,
    [uploads.map((upload) => upload.subscriptionId), uploads.map((upload) => upload.referenceNumber)],
  )
  return new Map(rows.map((row) => [keyOf(row), row]))
}

function receiptOfRetry(upload: Upload, existing: Existing | undefined): Receipt {
  if (!existing) throw new Error('A reference number was taken and is not there')
  if (existing.status === 'deleted') return { outcome: 'deleted' }
  if (!existing.dataHash.equals(upload.dataHash)) return { outcome: 'taken' }
  return { outcome: 'repeated', key: existing, uploadDate: existing.uploadDate }
}

/** A dataset that waits to be processed, with all that decoding and extracting need. */
export interface WaitingDataset extends DatasetKey {
  readonly blob: Buffer
  readonly realIp: string | null
  /** To the millisecond. */
  readonly uploadedAt: Date
}

/** Those of the datasets that still wait, in key order, without a lock: another worker may be at them. */
export async function listWaiting(db: Db, keys: readonly DatasetKey[]): Promise<WaitingDataset[]> {
  return queryRows(
    db,
    `select subscription_id as "subscriptionId", id, blob, real_ip as "realIp", uploaded_at as "uploadedAt"
     from datasets
     where (subscription_id, id) in (select * from unnest(?::integer[], ?::bigint[]))
       and ring_at is not null and blob is not null
     order by subscription_id, id`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
  )
}

/** A dataset that this transaction has to itself until it ends. */
export interface ClaimedDataset extends DatasetKey {
  readonly additionalInfo: AdditionalInfo
  /** What earlier processing counted for it; null when it was not counted yet. */
  readonly velocity: Velocity | null
  /** In UTC with six fractional digits and Z, so that texts sort as times do. */
  readonly uploadedAt: string
}

/**
 * Locks those of the datasets that still wait, in key order, so that a second delivery of a job finds nothing.
 *
 * Waits for a lock rather than skipping it: it is held for a moment by an Additional Info call, whose dataset would
 * else be left to the relay, or by another delivery, which is about to settle the dataset.
 */
export async function claimDatasets(trx: Db, keys: readonly DatasetKey[]): Promise<ClaimedDataset[]> {
  return queryRows(
    trx,
    `select d.subscription_id as "subscriptionId", d.id, d.additional_info as "additionalInfo", d.velocity,
            ${sixDigits('d.uploaded_at')} || 'Z' as "uploadedAt"
     from datasets d join unnest(?::integer[], ?::bigint[]) k (subscription_id, id) using (subscription_id, id)
     where d.ring_at is not null
     order by d.subscription_id, d.id
     for update of d`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
  )
}

/** How a claimed dataset ends. */
export interface Settlement extends DatasetKey {
  readonly platform: Platform | null
  /** As the capture has it, made safe to store. */
  readonly deviceId: string | null
  readonly velocity: Velocity | null
  /** Why its data could not be decoded; null makes it ready. */
  readonly invalid: { readonly code: string; readonly detail: string } | null
}

/** Ends the wait of claimed datasets: each is ready or, with a reason, invalid. */
export async function settleDatasets(trx: Db, settlements: readonly Settlement[]): Promise<void> {
  if (settlements.length === 0) return
  const { sql, bindings } = valuesOf(
    ['integer', 'bigint', 'text', 'text', 'text', 'jsonb', 'text', 'text'],
    settlements.map((end) => [
      end.subscriptionId,
      end.id,
      end.invalid ? 'invalid' : 'ready',
      end.platform,
      end.deviceId,
      end.velocity && JSON.stringify(end.velocity),
      end.invalid?.code ?? null,
      end.invalid?.detail ?? null,
    ]),
  )
  await queryRows(
    trx,
    `update datasets d set status = v.status, platform = v.platform, device_id = v.device_id, velocity = v.velocity,
       invalid_code = v.invalid_code, invalid_detail = v.invalid_detail,
       settled_at = clock_timestamp(), ring_at = null, rings = 0
     from (values ${sql})
       v (subscription_id, id, status, platform, device_id, velocity, invalid_code, invalid_detail)
     where d.subscription_id = v.subscription_id and d.id = v.id`,
    bindings,
  )
}

/**
 * Those whose wait is over, so that the relay rings again, at most `limit`, longest wait first; each is given twice
 * the patience of before, up to 10 minutes. Safe with several relays at once.
 */
export async function takeOverdue(db: Db, limit: number): Promise<DatasetKey[]> {
  return queryRows(
    db,
    `update datasets d set rings = d.rings + 1, ring_at = now() + least(${PATIENCE} * 2 ^ least(d.rings + 1, 10), interval '10 minutes')
     from (
       select subscription_id, id from datasets where ring_at <= now() order by ring_at limit ? for update skip locked
     ) k
     where d.subscription_id = k.subscription_id and d.id = k.id
     returning d.subscription_id as "subscriptionId", d.id`,
    [limit],
  )
}

/** Which datasets an operator means: by reference number, by status, or all that still have their blob. */
export type DatasetSelection =
  | { readonly referenceNumbers: readonly string[] }
  | { readonly status: DatasetStatus }
  | { readonly all: true }

/**
 * Makes up to `limit` datasets after `afterId` wait again, in order of id, to be processed anew. What was counted
 * for them stays counted once.
 */
export async function requeueDatasets(
  db: Db,
  subscriptionId: number,
  selection: DatasetSelection,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<DatasetKey[]> {
  const [condition, binding] =
    'referenceNumbers' in selection
      ? ['reference_number = any(?)', [selection.referenceNumbers]]
      : 'status' in selection
        ? ['status = ?', [selection.status]]
        : ['true', []]
  const rows = await queryRows<DatasetKey>(
    db,
    `update datasets d set ring_at = now() + ${PATIENCE}, rings = 0
     from (
       select subscription_id, id from datasets
       where subscription_id = ? and id > ? and blob is not null and status <> 'deleted' and ${condition}
       order by id limit ? for update
     ) k
     where d.subscription_id = k.subscription_id and d.id = k.id
     returning d.subscription_id as "subscriptionId", d.id`,
    [subscriptionId, afterId, ...binding, limit],
  )
  return rows.toSorted((a, b) => a.id - b.id)
}

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
