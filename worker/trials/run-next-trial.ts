import type { Logger } from 'pino'
import type { Db } from '../../db/postgres/database.ts'
import { isTransientDatabaseError } from '../../db/postgres/database-errors.ts'
import type { TrialResult } from '../../db/scorecards/definition/trial-result.ts'
import {
  type ClaimedTrial,
  claimTrial,
  failTrial,
  finishTrial,
  releaseTrial,
  renewTrial,
} from '../../db/scorecards/scorecard-trials.ts'
import { listDefinitions } from '../../db/scorecards/scorecards.ts'
import type { ShortestFirst } from '../batches/shortest-first.ts'
import { compileScorecard } from '../scoring/compile-scorecard.ts'
import { runDryRun } from './run-dry-run.ts'
import { verifyOwnRows } from './verify-rows.ts'

/** After this long without a word from its worker, another takes a trial. */
const LEASE_MS = 30_000

/** A trial that so many workers did not come to the end of is to blame itself. */
const MAX_ATTEMPTS = 3

/** How long the one thread is kept from everything else. */
const SLICE_MS = 10

export interface TrialContext {
  readonly db: Db
  readonly log: Logger
  readonly scheduler: ShortestFirst
  readonly leaseMs?: number
}

/**
 * Runs the trial that waits longest, if any: a group of datasets always goes before it.
 *
 * Where this worker is asked to stop, the trial is left to another one; where it is killed, another one takes it up after the
 * lease. A fault of the definition ends the trial with words that say so.
 *
 * @returns whether there was one.
 */
export async function runNextTrial(context: TrialContext, signal: AbortSignal): Promise<boolean> {
  const { db, log, leaseMs = LEASE_MS } = context
  const claimed = await claimTrial(db, leaseMs)
  if (!claimed) return false
  if (claimed.attempt > MAX_ATTEMPTS) {
    await failTrial(
      db,
      claimed,
      `It was tried ${MAX_ATTEMPTS} times and came to no end: the model may be too big for the workers`,
    )
    return true
  }
  const { id, subscriptionId, version } = claimed
  const pace = openPace(context, claimed, signal)
  try {
    await finishTrial(db, claimed, await tryVersion(db, claimed, pace))
  } catch (err) {
    if (err instanceof NoLongerOurs) return true
    if (signal.aborted) {
      await releaseTrial(db, claimed) // if this does not go through, the lease ends
      return false
    }
    if (isTransientDatabaseError(err)) throw err // the lease ends, and the next attempt begins
    log.error({ err, subscriptionId, trial: id, version }, 'a trial of a scorecard failed')
    await failTrial(db, claimed, err instanceof Error ? err.message : String(err))
  } finally {
    pace.close()
  }
  return true
}

async function tryVersion(db: Db, { subscriptionId, code, version, captures }: ClaimedTrial, pace: Pace) {
  const [found] = await listDefinitions(db, [{ subscriptionId, version }])
  if (!found) throw new Error(`There is no definition of version ${version}`)
  const { definition } = found
  const verification = await verifyOwnRows(definition, compileScorecard(definition), pace.turn)
  const dryRun = await runDryRun(db, { subscriptionId, code, definition, last: captures }, pace)
  return { verification, dryRun } satisfies TrialResult
}

/** Another worker has the trial by now. */
class NoLongerOurs extends Error {
  override name = 'NoLongerOurs'
}

interface Pace {
  turn(): Promise<void> | undefined
  onProgress(scored: number): Promise<void>
  close(): void
}

/** Keeps the trial ours, tells how far it is, and lets everything else go first. */
function openPace(
  { db, scheduler, leaseMs = LEASE_MS }: TrialContext,
  claimed: ClaimedTrial,
  signal: AbortSignal,
): Pace {
  let sliceEndsAt = performance.now() + SLICE_MS
  let progress = 0
  let ours = true
  async function renew(): Promise<void> {
    ours &&= await renewTrial(db, claimed, progress)
  }
  // also while groups keep it waiting; a renewal that fails is made up for by the next
  const renewing = setInterval(() => void renew().catch(() => undefined), leaseMs / 3)
  async function nextTurn(): Promise<void> {
    await scheduler.next(Number.POSITIVE_INFINITY)
    signal.throwIfAborted()
    if (!ours) throw new NoLongerOurs()
    sliceEndsAt = performance.now() + SLICE_MS
  }
  return {
    turn: () => (performance.now() < sliceEndsAt ? undefined : nextTurn()),
    async onProgress(scored) {
      progress = scored
      await renew()
      await nextTurn()
    },
    close: () => clearInterval(renewing),
  }
}
