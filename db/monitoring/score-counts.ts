import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'

/** The number of a day's datasets in a bin of a characteristic, or with a score. */
export interface ScoreCount {
  readonly subscriptionId: number
  readonly code: string
  readonly version: string
  /** In UTC, as in 2026-11-21. */
  readonly day: string
  /** Empty for the score itself. */
  readonly characteristic: string
  /** For the score: its value, or empty if there was none. */
  readonly bin: string
  readonly datasets: number
}

/** Counts written by one statement. */
const BATCH_ROWS = 1_000

/** Days that counts are stored. */
const STORED_DAYS = 400

/**
 * Adds to the counts, all or none. Rows are written in the order of their key: otherwise concurrent workers deadlock.
 */
export async function addScoreCounts(db: Db, counts: readonly ScoreCount[]): Promise<void> {
  const sorted = counts
    .map((count) => ({ key: keyOf(count), count }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ count }) => count)
  await db.transaction(async (trx) => {
    for (let at = 0; at < sorted.length; at += BATCH_ROWS) {
      const rows = valueRows(
        ['integer', 'text', 'text', 'date', 'text', 'text', 'integer'],
        sorted
          .slice(at, at + BATCH_ROWS)
          .map((c) => [c.subscriptionId, c.code, c.version, c.day, c.characteristic, c.bin, c.datasets]),
      )
      await queryRows(
        trx,
        sql`insert into score_counts as s (subscription_id, code, version, day, characteristic, bin, datasets)
         values ${rows}
         on conflict (subscription_id, code, version, day, characteristic, bin)
         do update set datasets = s.datasets + excluded.datasets`,
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

/** Removes up to `limit` of the counts that are too old to be shown. @returns how many. */
export async function pruneScoreCounts(db: Db, limit: number): Promise<number> {
  const removed = await queryRows(
    db,
    sql`delete from score_counts where ctid = any(array(
          select ctid from score_counts where day < current_date - ${STORED_DAYS}::integer limit ${limit}
        )) returning 1`,
  )
  return removed.length
}

/** A version under a code. */
export type CountedVersion = Pick<ScoreCount, 'subscriptionId' | 'code' | 'version'>

/** Lists the versions of a subscription that have counts, under one code or all. */
export async function listCountedVersions(
  db: Db,
  subscriptionId: number,
  code: string | undefined,
): Promise<CountedVersion[]> {
  return queryRows(
    db,
    sql`select distinct subscription_id as "subscriptionId", code, version from score_counts
        where subscription_id = ${subscriptionId} and (${code ?? null}::text is null or code = ${code ?? null})
          and characteristic = ''
        order by code, version`,
  )
}

/** Lists up to `limit` versions of all subscriptions that scored on a day or later. */
export async function listVersionsCountedSince(
  db: Db,
  since: string,
  limit: number,
): Promise<CountedVersion[]> {
  return queryRows(
    db,
    sql`select distinct subscription_id as "subscriptionId", code, version from score_counts
        where day >= ${since}::date and characteristic = '' order by subscription_id, code, version limit ${limit}`,
  )
}

/**
 * Lists the counts of a version by day from `since` on, oldest first. Before them comes the baseline: its first `firstDays` days
 * added up as one.
 */
export async function listScoreDays(
  db: Db,
  { subscriptionId, code, version }: CountedVersion,
  { since, firstDays }: { since: string; firstDays: number },
): Promise<ScoreCount[]> {
  return queryRows(
    db,
    sql`select c.subscription_id as "subscriptionId", c.code, c.version, to_char(c.on_day, 'YYYY-MM-DD') as day,
               c.characteristic, c.bin, sum(c.datasets)::float8 as datasets
        from (
          select min(day) as day from score_counts
          where subscription_id = ${subscriptionId} and code = ${code} and version = ${version}
        ) f cross join lateral (
          -- two ranges of the primary key: the days in between are not read
          select s.*, s.day as on_day from score_counts s
          where s.subscription_id = ${subscriptionId} and s.code = ${code} and s.version = ${version} and s.day >= ${since}::date
          union all
          select s.*, f.day from score_counts s
          where s.subscription_id = ${subscriptionId} and s.code = ${code} and s.version = ${version}
            and s.day < least(f.day + ${firstDays}::integer, ${since}::date)
        ) c
        group by c.subscription_id, c.code, c.version, c.on_day, c.characteristic, c.bin
        order by c.on_day, c.characteristic, c.bin`,
  )
}

/** The number of datasets with a score. */
export interface ValueCount {
  /** null: without a score. */
  readonly value: number | null
  readonly datasets: number
}

/** Counts a version's datasets since a day by score, lowest first; those without a score come last. */
export async function countScoreValues(
  db: Db,
  subscriptionId: number,
  { code, version, since }: { code: string; version: string; since: string },
): Promise<ValueCount[]> {
  return queryRows(
    db,
    sql`select nullif(bin, '')::float8 as value, sum(datasets)::int as datasets from score_counts
        where subscription_id = ${subscriptionId} and code = ${code} and version = ${version}
          and day >= ${since}::date and characteristic = ''
        group by bin order by value nulls last`,
  )
}
