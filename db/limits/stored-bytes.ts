import { BLOB_BYTES } from '../encryption/capture-reference.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/**
 * Lists up to `limit` subscriptions whose stored bytes are to be measured: `wanted` since uploads were rejected for them after the last
 * measurement, or `due`, never measured or 6 hours ago. Measured longest ago comes first.
 */
export async function listUnmeasured(db: Db, reason: 'wanted' | 'due', limit: number): Promise<number[]> {
  const isWanted = sql`coalesce(b.wanted_at > b.measured_at, false)`
  const isDue = sql`b.measured_at is null or b.measured_at < now() - interval '6 hours'`
  const rows = await queryRows<{ id: number }>(
    db,
    sql`select s.id from subscriptions s left join stored_bytes b on b.subscription_id = s.id
        where ${reason === 'wanted' ? isWanted : sql`(${isDue}) and not ${isWanted}`}
        order by b.measured_at nulls first, s.id limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

interface Scan {
  /** Whether a measurement is in progress. */
  readonly isOpen: boolean
}

/**
 * Measures the bytes of up to `limit` further datasets of a subscription. With the last ones, the bytes that the subscription stores
 * become those measured and those received since the measurement began. Captures removed meanwhile count until the next one.
 *
 * Reads rows by their key and no capture: Postgres knows the length of a stored value. Begins behind the datasets whose captures retention has
 * removed.
 *
 * @returns `busy`, and nothing was measured, while another process has the subscription's row.
 */
export async function measureStoredBytes(
  db: Db,
  subscriptionId: number,
  limit: number,
): Promise<'complete' | 'incomplete' | 'busy'> {
  return db.transaction(async (trx) => {
    await queryRows(
      trx,
      sql`insert into stored_bytes (subscription_id) values (${subscriptionId}) on conflict do nothing`,
    )
    const [scan] = await queryRows<Scan>(
      trx,
      sql`select scan_until is not null as "isOpen" from stored_bytes
          where subscription_id = ${subscriptionId} for update skip locked`,
    )
    if (!scan) return 'busy'
    if (!scan.isOpen) await beginScan(trx, subscriptionId)
    const [step] = await queryRows<{ datasets: number }>(
      trx,
      sql`with step as (
            select id, ${BLOB_BYTES} as bytes from datasets
            where subscription_id = ${subscriptionId}
              and id > (select scan_through from stored_bytes where subscription_id = ${subscriptionId})
              and id <= (select scan_until from stored_bytes where subscription_id = ${subscriptionId})
            order by id limit ${limit}
          ), counted as (
            update stored_bytes set
              scan_bytes = scan_bytes + (select coalesce(sum(bytes), 0) from step),
              scan_through = coalesce((select max(id) from step), scan_through)
            where subscription_id = ${subscriptionId}
          )
          select count(*)::int as datasets from step`,
    )
    if (step?.datasets === limit) return 'incomplete'
    await queryRows(
      trx,
      sql`update stored_bytes set bytes = scan_bytes + scan_received, measured_at = clock_timestamp(), scan_until = null
          where subscription_id = ${subscriptionId}`,
    )
    return 'complete'
  })
}

/**
 * Begins with the segments of browsers, which become captures, and with captures that retention left until their datasets are processed; there
 * are few of both.
 */
const beginScan = (trx: Db, subscriptionId: number): Promise<unknown> =>
  queryRows(
    trx,
    sql`update stored_bytes b set scan_received = 0,
          scan_through = coalesce(p.blobs_through, 0),
          scan_until = (select coalesce(max(id), 0) from datasets where subscription_id = ${subscriptionId}),
          scan_bytes = (
            select coalesce(sum(octet_length(body)), 0) from collection_segments where subscription_id = ${subscriptionId}
          ) + (
            select coalesce(sum(${BLOB_BYTES}), 0) from datasets
            where subscription_id = ${subscriptionId} and id = any(p.blobs_postponed)
          )
        from (select ${subscriptionId}::integer as subscription_id) s
        left join retention_policies p on p.subscription_id = s.subscription_id
        where b.subscription_id = s.subscription_id`,
  )

/** Finds the bytes that a subscription stores; `measuredAt` is null before the first measurement. */
export async function findStoredBytes(
  db: Db,
  subscriptionId: number,
): Promise<{ bytes: number; measuredAt: Date | null }> {
  const [found] = await queryRows<{ bytes: number; measuredAt: Date | null }>(
    db,
    sql`select bytes, measured_at as "measuredAt" from stored_bytes where subscription_id = ${subscriptionId}`,
  )
  return found ?? { bytes: 0, measuredAt: null }
}
