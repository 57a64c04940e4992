import { type Db, queryRows, valuesOf } from './database.ts'

/** How many datasets of a day fell into a bin of a characteristic, or got a score. */
export interface ScoreCount {
  readonly subscriptionId: number
  readonly code: string
  readonly version: string
  /** In UTC, as in 2026-11-21. */
  readonly day: string
  /** Empty: the score itself. */
  readonly characteristic: string
  /** Of the score: the value, or empty where there was none. */
  readonly bin: string
  readonly datasets: number
}

/** Counts written by one statement. */
const STEP_ROWS = 1_000

/** Days for which counts are kept. */
const KEPT_DAYS = 400

/**
 * Adds to the counts. Rows are written in the order of their key: without it, workers that write at once deadlock.
 *
 * All or none.
 */
export async function addScoreCounts(db: Db, counts: readonly ScoreCount[]): Promise<void> {
  const sorted = counts
    .map((count) => ({ key: keyOf(count), count }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ count }) => count)
  await db.transaction(async (trx) => {
    for (let at = 0; at < sorted.length; at += STEP_ROWS) {
      const { sql, bindings } = valuesOf(
        ['integer', 'text', 'text', 'date', 'text', 'text', 'integer'],
        sorted
          .slice(at, at + STEP_ROWS)
          .map((c) => [c.subscriptionId, c.code, c.version, c.day, c.characteristic, c.bin, c.datasets]),
      )
      await queryRows(
        trx,
        `insert into score_counts as s (subscription_id, code, version, day, characteristic, bin, datasets) values ${sql}
         on conflict (subscription_id, code, version, day, characteristic, bin)
         do update set datasets = s.datasets + excluded.datasets`,
        bindings,
      )
    }
  })
}

const keyOf = (count: ScoreCount) =>
  JSON.stringify([
    count.subscriptionId,
    count.code,
    count.version,
    count.day,
    count.characteristic,
    count.bin,
  ])

/** Removes some of the counts that are too old to be looked at. */
export async function pruneScoreCounts(db: Db): Promise<void> {
  await queryRows(
    db,
    `delete from score_counts where ctid = any(array(
       select ctid from score_counts where day < current_date - ?::integer limit ?))`,
    [KEPT_DAYS, STEP_ROWS * 10],
  )
}

/** Counts of a subscription since a day, oldest first; of all its codes, or of one. */
export async function listScoreCounts(
  db: Db,
  subscriptionId: number,
  { code, since }: { code: string | undefined; since: string },
): Promise<ScoreCount[]> {
  return queryRows(
    db,
    `select subscription_id as "subscriptionId", code, version, to_char(day, 'YYYY-MM-DD') as day, characteristic, bin,
            datasets
     from score_counts where subscription_id = ? and (?::text is null or code = ?) and day >= ?::date
     order by code, version, day, characteristic, bin`,
    [subscriptionId, code ?? null, code ?? null, since],
  )
}

/** Of each version under a code, of all subscriptions, how scores were on the days from `since` on and on its first days. */
export async function listScoreDays(
  db: Db,
  { since, firstDays, limit }: { since: string; firstDays: number; limit: number },
): Promise<ScoreCount[]> {
  return queryRows(
    db,
    `with recent as (
       select distinct subscription_id, code, version from score_counts
       where day >= ?::date and characteristic = '' order by subscription_id, code, version limit ?
     ), first as (
       select r.*, (select min(day) from score_counts s where s.subscription_id = r.subscription_id and s.code = r.code
                    and s.version = r.version) as day from recent r
     )
     select s.subscription_id as "subscriptionId", s.code, s.version, to_char(s.day, 'YYYY-MM-DD') as day,
            s.characteristic, s.bin, s.datasets
     from first f join score_counts s using (subscription_id, code, version)
     where s.characteristic = '' and (s.day < f.day + ?::integer or s.day >= ?::date)`,
    [since, limit, firstDays, since],
  )
}

/** How many datasets got a score, or none. */
export interface ValueCount {
  /** null: there was no score. */
  readonly value: number | null
  readonly datasets: number
}

/** How often one version said what since a day, lowest value first, without a score last. */
export async function countScoreValues(
  db: Db,
  subscriptionId: number,
  { code, version, since }: { code: string; version: string; since: string },
): Promise<ValueCount[]> {
  return queryRows(
    db,
    `select nullif(bin, '')::float8 as value, sum(datasets)::int as datasets from score_counts
     where subscription_id = ? and code = ? and version = ? and day >= ?::date and characteristic = ''
     group by bin order by value nulls last`,
    [subscriptionId, code, version, since],
  )
}
