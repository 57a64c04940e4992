import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { type Sql, sql } from '../postgres/sql.ts'
import type { TrialResult } from './definition/trial-result.ts'

export type TrialState = 'waiting' | 'running' | 'done' | 'failed'

/** A trial (backtest) of a version on its own verification rows and on stored captures. */
export interface Trial {
  readonly id: number
  readonly code: string
  readonly version: string
  readonly askedBy: string
  /** UTC, six fractional digits. */
  readonly askedAt: string
  readonly endedAt: string | null
  /** Upper bound of captures; the newest are used. */
  readonly captures: number
  readonly state: TrialState
  /** Captures scored so far. */
  readonly progress: number
  /** JSON text of a `TrialResult`; null until it is done. */
  readonly result: string | null
  /** The reason of a failure, for a person. */
  readonly error: string | null
}

const TRIAL = sql`
  id, code, version, asked_by as "askedBy", ${utcText('asked_at')} as "askedAt", ${utcText('ended_at')} as "endedAt",
  captures, state, progress, result, error`

/** Limit of waiting and running trials per subscription, so that one subscription does not block the others. */
const MAX_OPEN = 10

/** Trials stored per version. */
const MAX_STORED = 10

/**
 * Requests a trial, which a worker will run.
 *
 * @returns undefined if a trial of the version waits or runs already, or too many of the subscription do.
 */
export async function createTrial(
  trx: Db,
  {
    subscriptionId,
    code,
    version,
    askedBy,
    captures,
  }: { subscriptionId: number; code: string; version: string; askedBy: string; captures: number },
): Promise<Trial | undefined> {
  const [asked] = await queryRows<Trial>(
    trx,
    sql`insert into scorecard_trials (subscription_id, code, version, asked_by, captures)
        select ${subscriptionId}::integer, ${code}::text, ${version}::text, ${askedBy}::text, ${captures}::integer
        where ${MAX_OPEN} > (select count(*) from scorecard_trials
                             where subscription_id = ${subscriptionId} and state in ('waiting', 'running'))
        on conflict (subscription_id, code, version) where state in ('waiting', 'running') do nothing
        returning ${TRIAL}`,
  )
  if (asked)
    await queryRows(
      trx,
      sql`delete from scorecard_trials
          where subscription_id = ${subscriptionId} and code = ${code} and version = ${version} and id in (
            select id from scorecard_trials
            where subscription_id = ${subscriptionId} and code = ${code} and version = ${version}
            order by asked_at desc, id desc offset ${MAX_STORED})`,
    )
  return asked
}

export async function findTrial(
  db: Db,
  subscriptionId: number,
  code: string,
  id: number,
): Promise<Trial | undefined> {
  const [found] = await queryRows<Trial>(
    db,
    sql`select ${TRIAL} from scorecard_trials
        where subscription_id = ${subscriptionId} and id = ${id} and code = ${code}`,
  )
  return found
}

/** Lists the trials of a version under a code, newest first. */
export async function listTrials(
  db: Db,
  subscriptionId: number,
  code: string,
  version: string,
): Promise<Trial[]> {
  return queryRows(
    db,
    sql`select ${TRIAL} from scorecard_trials
        where subscription_id = ${subscriptionId} and code = ${code} and version = ${version}
        order by asked_at desc, id desc limit ${MAX_STORED}`,
  )
}

/** The state of a trial in short. */
export interface TrialSummary extends Pick<Trial, 'id' | 'code' | 'version' | 'state'> {
  /** Verification rows of the definition; null until it is done. */
  readonly rows: number | null
  readonly matched: number | null
}

/** Lists the last trial of each version of a subscription. */
export async function listLastTrials(db: Db, subscriptionId: number): Promise<TrialSummary[]> {
  return queryRows(
    db,
    // a result may be long: one of a version's ten trials is read, once
    sql`select id, code, version, state, (verification->>'rows')::integer as rows,
            (verification->>'matched')::integer as matched
     from (
       select distinct on (code, version) id, code, version, state, result
       from scorecard_trials where subscription_id = ${subscriptionId} order by code, version, asked_at desc, id desc
     ) last
     cross join lateral (select result->'verification' as verification offset 0) found`,
  )
}

/** Returns the verification of the last completed trial of a version. */
export async function findVerification(
  db: Db,
  subscriptionId: number,
  code: string,
  version: string,
): Promise<TrialResult['verification'] | undefined> {
  const [found] = await queryRows<{ verification: string }>(
    db,
    sql`select result->'verification' as verification from scorecard_trials
        where subscription_id = ${subscriptionId} and code = ${code} and version = ${version} and state = 'done'
        order by asked_at desc, id desc limit 1`,
  )
  return found && JSON.parse(found.verification) // written by a worker
}

/** A trial that this process runs. */
export interface ClaimedTrial {
  readonly subscriptionId: number
  readonly id: number
  readonly code: string
  readonly version: string
  readonly captures: number
  /** Counted from 1; each claim increments it, so that late writes of an earlier claim change nothing. */
  readonly attempt: number
}

/** Claims the longest-waiting trial of all subscriptions, or one whose claim was not renewed within `leaseMs`. */
export async function claimTrial(db: Db, leaseMs: number): Promise<ClaimedTrial | undefined> {
  const [claimed] = await queryRows<ClaimedTrial>(
    db,
    sql`with next as (
       select subscription_id, id from scorecard_trials
       where state in ('waiting', 'running')
         and (state = 'waiting' or claimed_at < clock_timestamp() - make_interval(secs => ${leaseMs}::double precision / 1000))
       order by asked_at limit 1 for update skip locked
     )
     update scorecard_trials t
     set state = 'running', claimed_at = clock_timestamp(), attempts = attempts + 1, progress = 0
     from next n where t.subscription_id = n.subscription_id and t.id = n.id
     returning t.subscription_id as "subscriptionId", t.id, t.code, t.version, t.captures, t.attempts as attempt`,
  )
  return claimed
}

/** Renews a claim and saves its progress. @returns whether the claim still is this worker's. */
export async function renewTrial(db: Db, claimed: ClaimedTrial, progress: number): Promise<boolean> {
  return change(db, claimed, sql`claimed_at = clock_timestamp(), progress = ${progress}`)
}

/** Ends a trial with its result. Nothing changes if another worker has claimed it since. */
export async function finishTrial(db: Db, claimed: ClaimedTrial, result: TrialResult): Promise<boolean> {
  return change(
    db,
    claimed,
    sql`state = 'done', ended_at = clock_timestamp(), progress = ${result.dryRun.captures},
        result = ${JSON.stringify(result)}::json`,
  )
}

/** Ends a trial without a result. @param why for a person. */
export async function failTrial(db: Db, claimed: ClaimedTrial, why: string): Promise<boolean> {
  return change(db, claimed, sql`state = 'failed', ended_at = clock_timestamp(), error = ${why}`)
}

/** Returns a trial to the queue, as if it had not been claimed. */
export async function releaseTrial(db: Db, claimed: ClaimedTrial): Promise<boolean> {
  return change(db, claimed, sql`state = 'waiting', attempts = attempts - 1, progress = 0`)
}

async function change(db: Db, { subscriptionId, id, attempt }: ClaimedTrial, set: Sql): Promise<boolean> {
  const changed = await queryRows(
    db,
    sql`update scorecard_trials set ${set}
        where subscription_id = ${subscriptionId} and id = ${id} and attempts = ${attempt} and state = 'running'
        returning id`,
  )
  return changed.length > 0
}
