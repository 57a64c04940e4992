import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql, valueRows } from '../postgres/sql.ts'

/** Counts of one minute of a subscription, or an addition to them. */
export interface PipelineCount {
  readonly subscriptionId: number
  /** Milliseconds since 1970, a whole minute; by the clock of Postgres. */
  readonly minute: number
  /** Datasets received. */
  readonly uploads: number
  /** Datasets that became ready when they were first settled. */
  readonly ready: number
  /** Error code to datasets that became invalid when they were first settled. */
  readonly invalid: Readonly<Record<string, number>>
  /** Bucket of the latency histogram to datasets: from the upload until it was first settled. */
  readonly latencies: Readonly<Record<string, number>>
}

/** Expression of the number of invalid datasets in a row of counts. */
export const INVALID_DATASETS = raw(
  '(select coalesce(sum(datasets::integer), 0) from jsonb_each_text(invalid) reasons (reason, datasets))',
)

/** Counts written by one statement. */
const BATCH_ROWS = 1_000

/** Days that counts are stored. */
const STORED_DAYS = 14

/** Merges two objects of numbers; the numbers of a name are added. */
const sumOf = (column: string) =>
  raw(`case
  when excluded.${column} = '{}' then p.${column}
  when p.${column} = '{}' then excluded.${column}
  else (select jsonb_object_agg(name, datasets) from (
    select name, sum(datasets::integer) as datasets
    from (select * from jsonb_each_text(p.${column}) union all select * from jsonb_each_text(excluded.${column}))
      both_of (name, datasets)
    group by name) summed) end`)

/** The commit was not answered: it is unknown whether it was done. */
export class UnknownCommitError extends Error {
  override name = 'UnknownCommitError'
}

/**
 * Adds to the counts, all or none. Rows are written in the order of their key: otherwise concurrent processes deadlock.
 *
 * @throws UnknownCommitError if they may have been added; after any other error they were not.
 */
export async function addPipelineCounts(db: Db, counts: readonly PipelineCount[]): Promise<void> {
  const sorted = counts.toSorted((a, b) => a.subscriptionId - b.subscriptionId || a.minute - b.minute)
  let added = false
  try {
    await db.transaction(async (trx) => {
      for (let at = 0; at < sorted.length; at += BATCH_ROWS)
        await addBatch(trx, sorted.slice(at, at + BATCH_ROWS))
      added = true
    })
  } catch (cause) {
    if (added) throw new UnknownCommitError('The counts may or may not have been added', { cause })
    throw cause
  }
}

async function addBatch(trx: Db, counts: readonly PipelineCount[]): Promise<void> {
  const rows = valueRows(
    ['integer', 'double precision', 'integer', 'integer', 'jsonb', 'jsonb'],
    counts.map(({ subscriptionId, minute, uploads, ready, invalid, latencies }) => [
      ...[subscriptionId, minute / 1_000, uploads, ready],
      ...[JSON.stringify(invalid), JSON.stringify(latencies)],
    ]),
  )
  await queryRows(
    trx,
    sql`insert into pipeline_counts as p (subscription_id, minute, uploads, ready, invalid, latencies)
     select subscription_id, to_timestamp(seconds), uploads, ready, invalid, latencies
     from (values ${rows}) v (subscription_id, seconds, uploads, ready, invalid, latencies)
     on conflict (subscription_id, minute) do update set
       uploads = p.uploads + excluded.uploads, ready = p.ready + excluded.ready,
       invalid = ${sumOf('invalid')}, latencies = ${sumOf('latencies')}`,
  )
}

/** Removes up to `limit` of the counts that are too old to be shown. @returns how many. */
export async function prunePipelineCounts(db: Db, limit: number): Promise<number> {
  const removed = await queryRows(
    db,
    sql`delete from pipeline_counts where ctid = any(array(
          select ctid from pipeline_counts where minute < now() - make_interval(days => ${STORED_DAYS}) limit ${limit}
        )) returning 1`,
  )
  return removed.length
}

/** Lists the counts of a subscription since a time, oldest first: at most one row per minute. */
export async function listPipelineCounts(
  db: Db,
  subscriptionId: number,
  since: Date,
): Promise<PipelineCount[]> {
  return queryRows(
    db,
    sql`select subscription_id as "subscriptionId", (extract(epoch from minute) * 1000)::bigint as minute, uploads,
               ready, invalid, latencies
        from pipeline_counts where subscription_id = ${subscriptionId} and minute >= ${since}
        order by minute`,
  )
}
