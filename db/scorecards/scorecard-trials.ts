import { type Db, queryRows, sixDigits } from '../postgres/database.ts'
import type { TrialResult } from './definition/trial-result.ts'

export type TrialState = 'waiting' | 'running' | 'done' | 'failed'

/** A version tried on its own verification rows and on stored captures. */
export interface Trial {
  readonly id: number
  readonly code: string
  readonly version: string
  readonly askedBy: string
  /** UTC, six fractional digits. */
  readonly askedAt: string
  readonly endedAt: string | null
  /** Captures at most, the newest ones. */
  readonly captures: number
  readonly state: TrialState
  /** Captures scored so far. */
  readonly progress: number
  /** JSON text of a `TrialResult`; null until it is done. */
  readonly result: string | null
  /** Why it failed, for a person. */
  readonly error: string | null
}

const TRIAL = `
  id, code, version, asked_by as "askedBy", ${sixDigits('asked_at')} as "askedAt", ${sixDigits('ended_at')} as "endedAt",
  captures, state, progress, result, error`

/** Trials of a subscription that may wait or run at once, so that one subscription does not fill the queue of all. */
const MAX_OPEN = 10

/** Trials of a version that are kept. */
const KEPT = 10

/**
 * A worker will try this version.
 *
 * @returns undefined where a trial of it waits or runs already, or too many of the subscription do.
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
    `insert into scorecard_trials (subscription_id, code, version, asked_by, captures)
     select ?::integer, ?::text, ?::text, ?::text, ?::integer
     where ? > (select count(*) from scorecard_trials where subscription_id = ? and state in ('waiting', 'running'))
     on conflict (subscription_id, code, version) where state in ('waiting', 'running') do nothing
     returning ${TRIAL}`,
    [subscriptionId, code, version, askedBy, captures, MAX_OPEN, subscriptionId],
  )
  if (asked)
    await queryRows(
      trx,
      `delete from scorecard_trials where subscription_id = ? and code = ? and version = ? and id in (
         select id from scorecard_trials where subscription_id = ? and code = ? and version = ?
         order by id desc offset ?)`,
      [subscriptionId, code, version, subscriptionId, code, version, KEPT],
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
    `select ${TRIAL} from scorecard_trials where subscription_id = ? and id = ? and code = ?`,
    [subscriptionId, id, code],
  )
  return found
}

/** Trials of a version under a code, newest first. */
export async function listTrials(
  db: Db,
  subscriptionId: number,
  code: string,
  version: string,
): Promise<Trial[]> {
  return queryRows(
    db,
    `select ${TRIAL} from scorecard_trials where subscription_id = ? and code = ? and version = ?
     order by id desc limit ?`,
    [subscriptionId, code, version, KEPT],
  )
}

/** How a trial stands, in short. */
export interface TrialSummary extends Pick<Trial, 'id' | 'code' | 'version' | 'state'> {
  /** Verification rows that the definition has; null until it is done. */
  readonly rows: number | null
  readonly matched: number | null
}

/** The last trial of each version of a subscription. */
export async function listLastTrials(db: Db, subscriptionId: number): Promise<TrialSummary[]> {
  return queryRows(
    db,
    // of ten trials of a version the result of one is read, which may be long, and once
    `select id, code, version, state, (verification->>'rows')::integer as rows,
            (verification->>'matched')::integer as matched
     from (
       select distinct on (code, version) id, code, version, state, result
       from scorecard_trials where subscription_id = ? order by code, version, id desc
     ) last
     cross join lateral (select result->'verification' as verification offset 0) found`,
    [subscriptionId],
  )
}

/** The last trial of a version that was done: how its own rows came out. */
export async function findVerification(
  db: Db,
  subscriptionId: number,
  code: string,
  version: string,
): Promise<TrialResult['verification'] | undefined> {
  const [found] = await queryRows<{ verification: string }>(
    db,
    `select result->'verification' as verification from scorecard_trials
     where subscription_id = ? and code = ? and version = ? and state = 'done' order by id desc limit 1`,
    [subscriptionId, code, version],
  )
  return found && JSON.parse(found.verification) // written by a worker
}

/** A trial that this process has in hand. */
export interface ClaimedTrial {
  readonly subscriptionId: number
  readonly id: number
  readonly code: string
  readonly version: string
  readonly captures: number
  /** Counted from 1; whoever claims it again has another, so that what comes late changes nothing. */
  readonly attempt: number
}

/** Takes the trial that waits longest, or one whose worker has not been heard of for so long, of all subscriptions. */
export async function claimTrial(db: Db, leaseMs: number): Promise<ClaimedTrial | undefined> {
  const [claimed] = await queryRows<ClaimedTrial>(
    db,
    `with next as (
       select subscription_id, id from scorecard_trials
       where state in ('waiting', 'running')
         and (state = 'waiting' or claimed_at < clock_timestamp() - make_interval(secs => ?::double precision / 1000))
       order by asked_at limit 1 for update skip locked
     )
     update scorecard_trials t
     set state = 'running', claimed_at = clock_timestamp(), attempts = attempts + 1, progress = 0
     from next n where t.subscription_id = n.subscription_id and t.id = n.id
     returning t.subscription_id as "subscriptionId", t.id, t.code, t.version, t.captures, t.attempts as attempt`,
    [leaseMs],
  )
  return claimed
}

/** Says that the trial is in good hands, and how far it is. @returns whether it still is this worker's. */
export async function renewTrial(db: Db, claimed: ClaimedTrial, progress: number): Promise<boolean> {
  return change(db, claimed, `claimed_at = clock_timestamp(), progress = ?`, [progress])
}

/** Ends the trial with what it found. Nothing changes if it is another worker's by now. */
export async function finishTrial(db: Db, claimed: ClaimedTrial, result: TrialResult): Promise<boolean> {
  return change(db, claimed, `state = 'done', ended_at = clock_timestamp(), progress = ?, result = ?::json`, [
    result.dryRun.captures,
    JSON.stringify(result),
  ])
}

/** Ends the trial without a result. @param why for a person. */
export async function failTrial(db: Db, claimed: ClaimedTrial, why: string): Promise<boolean> {
  return change(db, claimed, `state = 'failed', ended_at = clock_timestamp(), error = ?`, [why])
}

/** Leaves the trial to any worker, as if it had not been taken. */
export async function releaseTrial(db: Db, claimed: ClaimedTrial): Promise<boolean> {
  return change(db, claimed, `state = 'waiting', attempts = attempts - 1, progress = 0`, [])
}

async function change(
  db: Db,
  { subscriptionId, id, attempt }: ClaimedTrial,
  set: string,
  bindings: readonly unknown[],
): Promise<boolean> {
  const changed = await queryRows(
    db,
    `update scorecard_trials set ${set}
     where subscription_id = ? and id = ? and attempts = ? and state = 'running' returning id`,
    [...bindings, subscriptionId, id, attempt],
  )
  return changed.length > 0
}
