import { type Db, queryRows, valuesOf } from '../postgres/database.ts'

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

/** A version under a code. */
export type CountedVersion = Pick<ScoreCount, 'subscriptionId' | 'code' | 'version'>

/** The versions of a subscription that counts are kept of; of all its codes, or of one. */
export async function listCountedVersions(
  db: Db,
  subscriptionId: number,
  code: string | undefined,
): Promise<CountedVersion[]> {
  return queryRows(
    db,
    `select distinct subscription_id as "subscriptionId", code, version from score_counts
     where subscription_id = ? and (?::text is null or code = ?) and characteristic = '' order by code, version`,
    [subscriptionId, code ?? null, code ?? null],
  )
}

/** The versions, of all subscriptions, that said something on a day or later; at most so many. */
export async function listVersionsCountedSince(
  db: Db,
  since: string,
  limit: number,
): Promise<CountedVersion[]> {
  return queryRows(
    db,
    `select distinct subscription_id as "subscriptionId", code, version from score_counts
     where day >= ?::date and characteristic = '' order by subscription_id, code, version limit ?`,
    [since, limit],
  )
}

/**
 * Counts of a version on each day from `since` on, oldest first, and before them its first days, summed up as its first:
 * what they are compared with.
 */
export async function listScoreDays(
  db: Db,
  { subscriptionId, code, version }: CountedVersion,
  { since, firstDays }: { since: string; firstDays: number },
): Promise<ScoreCount[]> {
  return queryRows(
    db,
    `select c.subscription_id as "subscriptionId", c.code, c.version, to_char(c.on_day, 'YYYY-MM-DD') as day,
            c.characteristic, c.bin, sum(c.datasets)::float8 as datasets
     from (
       select s.*, case when s.day >= ?::date then s.day else f.day end as on_day
       from score_counts s, (
         select min(day) as day from score_counts where subscription_id = ? and code = ? and version = ?
       ) f
       where s.subscription_id = ? and s.code = ? and s.version = ?
         and (s.day >= ?::date or s.day < f.day + ?::integer)
     ) c
     group by c.subscription_id, c.code, c.version, c.on_day, c.characteristic, c.bin
     order by c.on_day, c.characteristic, c.bin`,
    [...[since, subscriptionId, code, version], ...[subscriptionId, code, version], ...[since, firstDays]],
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
