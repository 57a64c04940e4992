import { type Backlog, type BacklogScan, measureBacklog, openBacklogScan } from '../datasets/backlog.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { INVALID_DATASETS } from './pipeline-counts.ts'

/** The waiting datasets of all subscriptions, and how soon they are settled at the present rate. */
export interface DrainTime extends Backlog {
  /** Datasets of all subscriptions that were settled for the first time, by all workers, in the last 15 s to 2 minutes. */
  readonly settledPerSecond: number
  /** Waiting datasets divided by `settledPerSecond`; 0 if none waits, null if some wait and none was settled. */
  readonly secondsToDrain: number | null
}

/** Settled datasets of the last three minutes, by minute in milliseconds since 1970. */
export interface SettledSample {
  /** Time of the count, by the clock of Postgres, in milliseconds since 1970. */
  readonly at: number
  readonly minutes: Readonly<Record<string, number>>
}

/** Where the next measurement begins; a process that measures again has the rate of the last seconds instead of minutes. */
export interface DrainScan {
  readonly backlog: BacklogScan
  /** Oldest first. */
  samples: readonly SettledSample[]
}

/** Opens a scan that begins at the first waiting datasets. */
export const openDrainScan = (): DrainScan => ({ backlog: openBacklogScan(), samples: [] })

/** Datasets that are counted at most, in 100 ms: with more of them, the seconds to drain are a lower bound. */
export const MAX_COUNTED = 100_000

/**
 * Counts the waiting datasets of all subscriptions, finds the oldest, and divides by the rate at which workers settle.
 *
 * Its statements read the outbox up to `MAX_COUNTED`, and one dataset and three minutes of counts of each subscription, however many are stored.
 */
export async function measureDrain(db: Db, scan: DrainScan): Promise<DrainTime> {
  const [backlog, sample] = await Promise.all([
    measureBacklog(db, MAX_COUNTED, scan.backlog),
    readSettled(db),
  ])
  const settledPerSecond = rateSince(baselineOf(scan.samples, sample), sample)
  scan.samples = keepSamples(scan.samples, sample)
  return { ...backlog, settledPerSecond, secondsToDrain: secondsToDrain(backlog.datasets, settledPerSecond) }
}

/** @returns null if datasets wait and none is settled. */
export function secondsToDrain(datasets: number, settledPerSecond: number): number | null {
  if (datasets === 0) return 0
  return settledPerSecond > 0 ? datasets / settledPerSecond : null
}

async function readSettled(db: Db): Promise<SettledSample> {
  const [sample] = await queryRows<SettledSample>(
    db,
    sql`select extract(epoch from now())::float * 1000 as at, coalesce((
          select jsonb_object_agg(minute, settled) from (
            select (extract(epoch from minute) * 1000)::bigint as minute, sum(ready + ${INVALID_DATASETS}) as settled
            from pipeline_counts where minute > now() - interval '3 minutes' group by minute
          ) of_minutes
        ), '{}') as minutes`,
  )
  if (!sample) throw new Error('A count returned no row')
  return sample
}

const MINUTE_MS = 60_000

/** Workers store their counts every 5 s: over a shorter time, the rate would depend on the moment of the measurement. */
const SHORTEST_MS = 15_000

/** Older samples cannot be compared: they lack minutes that the newest one has. */
const LONGEST_MS = 120_000

/** Pause between two samples that are kept, also if a process measures every second. */
const SAMPLE_PAUSE_MS = 5_000

/**
 * Returns the counts to compare with: the latest sample that is old enough, otherwise those at the beginning of the previous minute, because the
 * unfinished minute alone would give the rate of its first seconds.
 */
export function baselineOf(samples: readonly SettledSample[], now: SettledSample): SettledSample {
  const known = samples.findLast(({ at }) => now.at - at >= SHORTEST_MS && now.at - at <= LONGEST_MS)
  if (known) return known
  const begin = (Math.floor(now.at / MINUTE_MS) - 1) * MINUTE_MS
  const before = Object.entries(now.minutes).filter(([minute]) => Number(minute) < begin)
  return { at: begin, minutes: Object.fromEntries(before) }
}

/** Returns the datasets settled per second between two samples. */
export function rateSince(before: SettledSample, now: SettledSample): number {
  const settled = Object.entries(now.minutes).reduce(
    (sum, [minute, datasets]) => sum + datasets - (before.minutes[minute] ?? 0),
    0,
  )
  return Math.max(0, settled) / ((now.at - before.at) / 1_000)
}

/** Adds a sample unless the last one is recent, and removes those that are too old. */
function keepSamples(samples: readonly SettledSample[], now: SettledSample): readonly SettledSample[] {
  const recent = samples.filter(({ at }) => at <= now.at && now.at - at <= LONGEST_MS)
  const last = recent.at(-1)
  return last && now.at - last.at < SAMPLE_PAUSE_MS ? recent : [...recent, now]
}
