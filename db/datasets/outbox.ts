import type { Platform } from '../capture/capture.ts'
import type { Velocity } from '../capture/velocity-counts.ts'
import type { StoredInfo } from '../encryption/personal-data.ts'
import { recordingOf } from '../events/record-events.ts'
import { type Db, queryBinaryRows, queryRows, sixDigits, valuesOf } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { SETTLED } from './dataset-feed.ts'
import { type DatasetKey, unnestKeys } from './dataset-key.ts'
import { SEALED_NAME } from './datasets.ts'
import { ringsSince } from './overdue-scan.ts'

/**
 * The outbox: datasets that wait to be processed are the rows whose `ring_at` is set. It is when the enqueue timeout
 * expires; `rings` counts how often the relay has enqueued the dataset since.
 *
 * The first timeout is longer than a healthy queue takes to deliver a job.
 */
export const ENQUEUE_TIMEOUT = "interval '15 seconds'"

/** A dataset that waits to be processed, with the input of decoding and extracting. */
export interface WaitingDataset extends DatasetKey {
  /** null until it is assembled, and once retention has removed it; `listRestorable` has what is stored instead. */
  readonly blob: Buffer | null
  /** The collection that it is assembled from; null if it was uploaded. */
  readonly collectionId: number | null
  /** null if it is sealed, or unknown. */
  readonly address: string | null
  readonly sealedAddress: Buffer | null
  /** With the address, if that is not sealed by itself. */
  readonly sealedInfo: Buffer | null
  /** The row that blob and address belong to, if they are sealed. */
  readonly name: string
  /** To the millisecond. */
  readonly uploadedAt: Date
}

/** Lists those of the datasets that still wait, in key order. Takes no lock: another worker may be processing them. */
export async function listWaiting(db: Db, keys: readonly DatasetKey[]): Promise<WaitingDataset[]> {
  return queryBinaryRows(
    db,
    sql`select d.subscription_id as "subscriptionId", d.id, d.blob, d.collection_id as "collectionId",
               d.real_ip as address, d.sealed_ip as "sealedAddress", d.sealed_info as "sealedInfo", ${SEALED_NAME} as name,
               d.uploaded_at as "uploadedAt"
        from datasets d
        where (d.subscription_id, d.id) in (select k.subscription_id, k.id from ${unnestKeys(keys)})
          and d.ring_at is not null
        order by d.subscription_id, d.id`,
  )
}

/** A dataset whose blob was removed, with what its insight was computed from, as JSON texts. */
export interface RestorableDataset extends DatasetKey {
  readonly platform: Platform
  readonly deviceId: string | null
  readonly features: string
  readonly fragments: string
}

/** Lists those of the datasets that are ready and have no blob. */
export async function listRestorable(db: Db, keys: readonly DatasetKey[]): Promise<RestorableDataset[]> {
  return queryRows(
    db,
    `select d.subscription_id as "subscriptionId", d.id, d.platform, d.device_id as "deviceId", i.features, i.fragments
     from unnest(?::integer[], ?::bigint[]) k (subscription_id, id)
     join datasets d using (subscription_id, id)
     join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
     where d.status = 'ready' and d.blob is null`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
  )
}

/** A dataset that is locked until the end of the transaction. */
export interface ClaimedDataset extends DatasetKey {
  /** Sealed values are null. */
  readonly additionalInfo: StoredInfo
  /** Counted by earlier processing; null when it was not counted yet. */
  readonly velocity: Velocity | null
  /** Whether it has an insight already, which is recalculated. */
  readonly ready: boolean
  /** Whether it is settled for the first time. */
  readonly fresh: boolean
  /** In UTC with six fractional digits and Z, so that texts sort as times do. */
  readonly uploadedAt: string
  /** Milliseconds from its upload until this transaction began. */
  readonly waitedMs: number
}

/**
 * Locks those of the datasets that still wait, in key order. A second delivery of a job finds nothing to claim.
 *
 * Waits for a locked row instead of skipping it. The lock is held briefly, by a request that saves Additional Info, whose
 * dataset would otherwise be left to the relay, or by another delivery, which is about to settle the dataset.
 */
export async function claimDatasets(trx: Db, keys: readonly DatasetKey[]): Promise<ClaimedDataset[]> {
  return queryRows(
    trx,
    `select d.subscription_id as "subscriptionId", d.id, d.additional_info as "additionalInfo", d.velocity,
            d.status = 'ready' as ready, d.status = 'received' as fresh, ${sixDigits('d.uploaded_at')} || 'Z' as "uploadedAt",
            (extract(epoch from now() - d.uploaded_at) * 1000)::float as "waitedMs"
     from datasets d join unnest(?::integer[], ?::bigint[]) k (subscription_id, id) using (subscription_id, id)
     where d.ring_at is not null
     order by d.subscription_id, d.id
     for update of d`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
  )
}

/** The outcome of a claimed dataset. */
export interface Settlement extends DatasetKey {
  readonly platform: Platform | null
  /** From the capture, made safe to store. */
  readonly deviceId: string | null
  readonly velocity: Velocity | null
  /** Why its data cannot be decoded; null makes it ready. */
  readonly invalid: { readonly code: string; readonly detail: string } | null
  /** Of the claim. */
  readonly ready: boolean
}

/**
 * Stores the outcome of claimed datasets, which are then ready or invalid, and adds it to their timelines.
 *
 * @param enqueuedAt when their job was added to the queue; undefined without a job.
 */
export async function settleDatasets(
  trx: Db,
  settlements: readonly Settlement[],
  enqueuedAt: Date | undefined,
): Promise<void> {
  if (settlements.length === 0) return
  const { sql, bindings } = valuesOf(
    ['integer', 'bigint', 'text', 'text', 'text', 'text', 'jsonb', 'text', 'text'],
    settlements.map((end) => [
      end.subscriptionId,
      end.id,
      end.invalid ? 'invalid' : 'ready',
      end.invalid ? 'invalid' : end.ready ? 'recalculated' : 'ready',
      end.platform,
      end.deviceId,
      end.velocity && JSON.stringify(end.velocity),
      end.invalid?.code ?? null,
      end.invalid?.detail ?? null,
    ]),
  )
  await queryRows(
    trx,
    // now() is when the transaction began, which is when it claimed
    `with settled as (
       update datasets d set status = v.status, platform = v.platform, device_id = v.device_id, velocity = v.velocity,
         invalid_code = v.invalid_code, invalid_detail = v.invalid_detail,
         settled_at = statement_timestamp(), ring_at = null, rings = 0
       from (values ${sql})
         v (subscription_id, id, status, event, platform, device_id, velocity, invalid_code, invalid_detail)
       where d.subscription_id = v.subscription_id and d.id = v.id
       returning d.subscription_id, d.id, d.reference_number, v.event, d.invalid_code, d.invalid_detail
     ), recorded as (${recordingOf(SETTLED)})
     insert into dataset_events (subscription_id, dataset_id, event, rung_at, claimed_at, detail)
     select subscription_id, id, event, ?::timestamptz, now(),
            case when event = 'invalid' then jsonb_build_object('code', invalid_code, 'detail', invalid_detail) end
     from settled`,
    [...bindings, enqueuedAt ?? null],
  )
}

/**
 * Lists up to `limit` datasets whose enqueue timeout has expired, longest expired first, and restarts it at twice its
 * length, up to 10 minutes. The caller enqueues them in the same transaction. Safe with several relays at once.
 *
 * @param since of the caller's scan; see `findOverdue`.
 */
export async function claimTimedOut(db: Db, limit: number, since: Date | null): Promise<DatasetKey[]> {
  return queryRows(
    db,
    sql`update datasets d set rings = d.rings + 1,
          ring_at = now() + least(${raw(ENQUEUE_TIMEOUT)} * 2 ^ least(d.rings + 1, 10), interval '10 minutes')
        from (
          select subscription_id, id from datasets where ${ringsSince(since)} and ring_at <= now()
          order by ring_at limit ${limit} for update skip locked
        ) k
        where d.subscription_id = k.subscription_id and d.id = k.id
        returning d.subscription_id as "subscriptionId", d.id`,
  )
}

/**
 * Expires the enqueue timeout of up to `limit` datasets and resets its length, because the queue has lost its jobs.
 *
 * Skips rows that a worker or a relay has locked: waiting for them in another order than theirs could deadlock.
 *
 * @returns the number of datasets.
 */
export async function expireEnqueueTimeouts(db: Db, limit: number): Promise<number> {
  const rows = await queryRows(
    db,
    `update datasets d set rings = 0, ring_at = now()
     from (select subscription_id, id from datasets where ring_at > now() limit ? for update skip locked) k
     where d.subscription_id = k.subscription_id and d.id = k.id
     returning d.id`,
    [limit],
  )
  return rows.length
}
