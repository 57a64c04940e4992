import type { Platform } from './capture.ts'
import { type Db, queryRows, sixDigits, valuesOf } from './database.ts'
import type { AdditionalInfo, DatasetStatus } from './datasets.ts'
import type { DatasetKey } from './queue.ts'
import type { Velocity } from './velocity-counts.ts'

/** Time that a waiting dataset has before the relay rings for it; longer than a queue that is not in trouble takes. */
export const PATIENCE = "interval '15 seconds'"

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

/**
 * Ends the patience with up to `limit` datasets, as if nobody had rung for them yet: the queue has forgotten them.
 *
 * Leaves out those that a worker or a relay is at, rather than waiting for them in another order than theirs.
 *
 * @returns how many they were.
 */
export async function endPatience(db: Db, limit: number): Promise<number> {
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
