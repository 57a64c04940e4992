import type { Platform } from '../capture/capture.ts'
import type { Velocity } from '../capture/velocity-counts.ts'
import { type Db, queryRows, sixDigits, valuesOf } from '../postgres/database.ts'
import type { DatasetKey } from './dataset-key.ts'
import type { AdditionalInfo } from './datasets.ts'

/** Time that a waiting dataset has before the relay rings for it; longer than a queue that is not in trouble takes. */
export const ENQUEUE_TIMEOUT = "interval '15 seconds'"

/** A dataset that waits to be processed, with all that decoding and extracting need. */
export interface WaitingDataset extends DatasetKey {
  /** null once retention has removed it: what is kept of it is to be used, see `listKept`. */
  readonly blob: Buffer | null
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
     where (subscription_id, id) in (select * from unnest(?::integer[], ?::bigint[])) and ring_at is not null
     order by subscription_id, id`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
  )
}

/** What is left of a capture whose blob is gone: as JSON texts, what its insight was computed from. */
export interface KeptDataset extends DatasetKey {
  readonly platform: Platform
  readonly deviceId: string | null
  readonly features: string
  readonly fragments: string
}

/** What is kept of those of the datasets that are ready and have no blob. */
export async function listKept(db: Db, keys: readonly DatasetKey[]): Promise<KeptDataset[]> {
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

/** A dataset that this transaction has to itself until it ends. */
export interface ClaimedDataset extends DatasetKey {
  readonly additionalInfo: AdditionalInfo
  /** What earlier processing counted for it; null when it was not counted yet. */
  readonly velocity: Velocity | null
  /** Whether it has an insight already, which is calculated again. */
  readonly ready: boolean
  /** Whether it was never settled before. */
  readonly fresh: boolean
  /** In UTC with six fractional digits and Z, so that texts sort as times do. */
  readonly uploadedAt: string
  /** Milliseconds from its upload until this transaction began. */
  readonly waitedMs: number
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
            d.status = 'ready' as ready, d.status = 'received' as fresh, ${sixDigits('d.uploaded_at')} || 'Z' as "uploadedAt",
            (extract(epoch from now() - d.uploaded_at) * 1000)::float as "waitedMs"
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
  /** As it was claimed. */
  readonly ready: boolean
}

/**
 * Ends the wait of claimed datasets: each is ready or, with a reason, invalid; and notes that for their timelines.
 *
 * @param enqueuedAt when the job that they came with was added to the queue, if one was.
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
         settled_at = clock_timestamp(), ring_at = null, rings = 0
       from (values ${sql})
         v (subscription_id, id, status, event, platform, device_id, velocity, invalid_code, invalid_detail)
       where d.subscription_id = v.subscription_id and d.id = v.id
       returning d.subscription_id, d.id, v.event, d.invalid_code, d.invalid_detail
     )
     insert into dataset_events (subscription_id, dataset_id, event, rung_at, claimed_at, detail)
     select subscription_id, id, event, ?::timestamptz, now(),
            case when event = 'invalid' then jsonb_build_object('code', invalid_code, 'detail', invalid_detail) end
     from settled`,
    [...bindings, enqueuedAt ?? null],
  )
}

/**
 * Those whose wait is over, so that the relay rings again, at most `limit`, longest wait first; each is given twice
 * the patience of before, up to 10 minutes. Safe with several relays at once.
 */
export async function claimTimedOut(db: Db, limit: number): Promise<DatasetKey[]> {
  return queryRows(
    db,
    `update datasets d set rings = d.rings + 1, ring_at = now() + least(${ENQUEUE_TIMEOUT} * 2 ^ least(d.rings + 1, 10), interval '10 minutes')
     from (
       select subscription_id, id from datasets where ring_at <= now() order by ring_at limit ? for update skip locked
     ) k
     where d.subscription_id = k.subscription_id and d.id = k.id
     returning d.subscription_id as "subscriptionId", d.id`,
    [limit],
  )
}

/**
 * Ends the patience with up to `limit` datasets, as if nobody had rung for them yet: the queue has forgotten them.
 *
 * Leaves out those that a worker or a relay is at, rather than waiting for them in another order than theirs.
 *
 * @returns how many they were.
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
