import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'
import { type StageChange, StageError } from './scorecard-stages.ts'
import { lockStages, type StagedScorecard } from './scorecards.ts'

/** Why a version is suspended: a row took too long, or processes ended while they evaluated it first. */
export type SuspensionCause = 'slow' | 'died'

/** The reason of scores that a suspended version did not compute. */
export const MODEL_SUSPENDED = 'model_suspended'

const SCORING: Actor = { kind: 'service', id: null, name: 'scoring' }

type VersionKey = Pick<StagedScorecard, 'subscriptionId' | 'version'>

/** A first run that its process has not ended after so long means that the process died with it. */
const LOST_MS = 30_000

/** First runs of a version that were lost before it is suspended: one may be a machine that was switched off. */
const MAX_LOST = 2

/**
 * Suspends a version: from the next batch on its scores are absent, until it is resumed. Recorded in the audit log.
 *
 * @returns whether it was not suspended before.
 */
export async function suspendVersion(
  db: Db,
  { subscriptionId, version }: VersionKey,
  because: SuspensionCause,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const suspended = await queryRows(
      trx,
      sql`update scorecard_versions set suspended_at = clock_timestamp(), suspended_because = ${because}
          where subscription_id = ${subscriptionId} and version = ${version} and suspended_at is null returning version`,
    )
    if (suspended.length === 0) return false
    const stages = await queryRows<{ code: string }>(
      trx,
      sql`select code from scorecard_stages where subscription_id = ${subscriptionId} and version = ${version} order by code`,
    )
    for (const { code } of stages)
      await recordAudit(trx, {
        ...{ subscriptionId, actor: SCORING, action: 'scorecard.suspend', subject: code },
        detail: { version, because },
      })
    return true
  })
}

/** Resumes a suspended version under all of its codes. @throws StageError if it is not suspended. */
export async function resumeScorecard(
  trx: Db,
  { subscriptionId, code, version }: Omit<StagedScorecard, 'stage'>,
): Promise<StageChange> {
  await lockStages(trx, subscriptionId, code)
  const resumed = await queryRows(
    trx,
    sql`update scorecard_versions set suspended_at = null, suspended_because = null
        where subscription_id = ${subscriptionId} and version = ${version} and suspended_at is not null returning version`,
  )
  if (resumed.length === 0) throw new StageError('This version is not suspended')
  await queryRows(
    trx,
    sql`delete from scorecard_first_runs where subscription_id = ${subscriptionId} and version = ${version} returning version`,
  )
  return { code, version, replaced: null }
}

/** Lists those of the versions that are suspended. */
export async function listSuspended(db: Db, versions: readonly VersionKey[]): Promise<VersionKey[]> {
  if (versions.length === 0) return []
  const rows = valueRows(
    ['integer', 'text'],
    versions.map(({ subscriptionId, version }) => [subscriptionId, version]),
  )
  return queryRows(
    db,
    sql`select subscription_id as "subscriptionId", version from scorecard_versions
        join (values ${rows}) v (subscription_id, version) using (subscription_id, version)
        where suspended_at is not null`,
  )
}

/** Counts the suspended champions and challengers of all subscriptions. */
export async function countSuspended(db: Db): Promise<number> {
  const [row] = await queryRows<{ count: number }>(
    db,
    sql`select count(*)::integer as count from scorecard_versions v
        where suspended_at is not null and exists (
          select from scorecard_stages s where s.subscription_id = v.subscription_id and s.version = v.version
            and s.stage in ('champion', 'challenger'))`,
  )
  return row?.count ?? 0
}

/**
 * Marks the first run of versions by a process, before it evaluates them: the marks of a process that dies stay.
 *
 * @param process a UUID of the process.
 * @returns those that other processes died with too often.
 */
export async function startFirstRuns(
  db: Db,
  process: string,
  versions: readonly VersionKey[],
): Promise<VersionKey[]> {
  const rows = valueRows(
    ['integer', 'text'],
    versions.map(({ subscriptionId, version }) => [subscriptionId, version]),
  )
  return queryRows(
    db,
    sql`with marked as (
          insert into scorecard_first_runs (subscription_id, version, process)
          select subscription_id, version, ${process}::uuid from (values ${rows}) v (subscription_id, version)
          on conflict do nothing
        )
        select subscription_id as "subscriptionId", version
        from (values ${rows}) v (subscription_id, version) join scorecard_first_runs f using (subscription_id, version)
        where started_at < clock_timestamp() - make_interval(secs => ${LOST_MS}::double precision / 1000)
        group by subscription_id, version having count(*) >= ${MAX_LOST}`,
  )
}

/** Deletes all marks of versions that were evaluated: an earlier death had another cause. */
export async function endFirstRuns(db: Db, versions: readonly VersionKey[]): Promise<void> {
  const rows = valueRows(
    ['integer', 'text'],
    versions.map(({ subscriptionId, version }) => [subscriptionId, version]),
  )
  await queryRows(
    db,
    sql`delete from scorecard_first_runs f using (values ${rows}) v (subscription_id, version)
        where f.subscription_id = v.subscription_id and f.version = v.version returning f.version`,
  )
}
