import { type Db, queryRows, valuesOf } from '../postgres/database.ts'

/** What happened in a minute in a subscription, or what there is to add to that. */
export interface PipelineCount {
  readonly subscriptionId: number
  /** Milliseconds since 1970, on a whole minute; by the clock of Postgres. */
  readonly minute: number
  /** Datasets received. */
  readonly uploads: number
  /** Datasets that became ready, the first time that they were settled. */
  readonly ready: number
  /** Reason to datasets that became invalid, the first time that they were settled. */
  readonly invalid: Readonly<Record<string, number>>
  /** Step on the scale of latencies to datasets: from the upload until it was first settled. */
  readonly latencies: Readonly<Record<string, number>>
}

/** Counts written by one statement. */
const STEP_ROWS = 1_000

/** Days for which counts are kept. */
const KEPT_DAYS = 14

/** Two objects of numbers as one: what has the same name is added up. */
const sumOf = (column: string) => `case
  when excluded.${column} = '{}' then p.${column}
  when p.${column} = '{}' then excluded.${column}
  else (select jsonb_object_agg(name, datasets) from (
    select name, sum(datasets::integer) as datasets
    from (select * from jsonb_each_text(p.${column}) union all select * from jsonb_each_text(excluded.${column}))
      both_of (name, datasets)
    group by name) summed) end`

/** The commit got no answer: nobody knows whether it was done. */
export class UnknownCommitError extends Error {
  override name = 'UnknownOutcome'
}

/**
 * Adds to the counts, all or none. Rows are written in the order of their key: without it, processes that write at once
 * deadlock.
 *
 * @throws UnknownOutcome when they may have been added; after any other error they were not.
 */
export async function addPipelineCounts(db: Db, counts: readonly PipelineCount[]): Promise<void> {
  const sorted = counts.toSorted((a, b) => a.subscriptionId - b.subscriptionId || a.minute - b.minute)
  let added = false
  try {
    await db.transaction(async (trx) => {
      for (let at = 0; at < sorted.length; at += STEP_ROWS)
        await addStep(trx, sorted.slice(at, at + STEP_ROWS))
      added = true
    })
  } catch (cause) {
    if (added) throw new UnknownCommitError('The counts may have been added, or not', { cause })
    throw cause
  }
}

async function addStep(trx: Db, counts: readonly PipelineCount[]): Promise<void> {
  const { sql, bindings } = valuesOf(
    ['integer', 'double precision', 'integer', 'integer', 'jsonb', 'jsonb'],
    counts.map(({ subscriptionId, minute, uploads, ready, invalid, latencies }) => [
      ...[subscriptionId, minute / 1_000, uploads, ready],
      ...[JSON.stringify(invalid), JSON.stringify(latencies)],
    ]),
  )
  await queryRows(
    trx,
    `insert into pipeline_counts as p (subscription_id, minute, uploads, ready, invalid, latencies)
     select subscription_id, to_timestamp(seconds), uploads, ready, invalid, latencies
     from (values ${sql}) v (subscription_id, seconds, uploads, ready, invalid, latencies)
     on conflict (subscription_id, minute) do update set
       uploads = p.uploads + excluded.uploads, ready = p.ready + excluded.ready,
       invalid = ${sumOf('invalid')}, latencies = ${sumOf('latencies')}`,
    bindings,
  )
}

/** Removes some of the counts that are too old to be looked at. */
export async function prunePipelineCounts(db: Db): Promise<void> {
  await queryRows(
    db,
    `delete from pipeline_counts where ctid = any(array(
       select ctid from pipeline_counts where minute < now() - make_interval(days => ?) limit ?))`,
    [KEPT_DAYS, STEP_ROWS * 10],
  )
}

/** Counts of a subscription from an instant on, oldest first: at most a row a minute. */
export async function listPipelineCounts(
  db: Db,
  subscriptionId: number,
  since: Date,
): Promise<PipelineCount[]> {
  return queryRows(
    db,
    `select subscription_id as "subscriptionId", (extract(epoch from minute) * 1000)::bigint as minute, uploads, ready,
            invalid, latencies
     from pipeline_counts where subscription_id = ? and minute >= ?
     order by minute`,
    [subscriptionId, since],
  )
}
