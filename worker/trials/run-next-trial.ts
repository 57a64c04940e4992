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
import { ScoringError } from './open-scoring-thread.ts'
import { runVerifiedBacktest } from './run-backtest.ts'

/** A trial whose lease is not renewed for this long is taken over by another worker. */
const LEASE_MS = 30_000

/** A trial that fails to complete this often is itself the cause. */
const MAX_ATTEMPTS = 3

/** Maximum time that a trial blocks the event loop. */
const SLICE_MS = 10

export interface TrialContext {
  readonly db: Db
  readonly log: Logger
  readonly scheduler: ShortestFirst
  readonly leaseMs?: number
}

/**
 * Runs the oldest waiting trial, if any; batches of datasets always take precedence.
 *
 * When this worker is stopped, the trial is released to another worker; when it is killed, another worker takes over after
 * the lease expires. The definition is evaluated in a thread: an error in it, or one that exceeds a deadline or its memory, ends
 * the trial with its message.
 *
 * @returns whether there was a trial.
 */
export async function runNextTrial(context: TrialContext, signal: AbortSignal): Promise<boolean> {
  const { db, log, leaseMs = LEASE_MS } = context
  const claimed = await claimTrial(db, leaseMs)
  if (!claimed) return false
  if (claimed.attempt > MAX_ATTEMPTS) {
    await failTrial(
      db,
      claimed,
      `Not completed after ${MAX_ATTEMPTS} attempts: the model may be too large for the workers`,
    )
    return true
  }
  const { id, subscriptionId, version } = claimed
  const lease = openLease(context, claimed, signal)
  try {
    await finishTrial(db, claimed, await runTrial(db, claimed, lease))
  } catch (err) {
    if (err instanceof LeaseLost) return true
    if (signal.aborted) {
      await releaseTrial(db, claimed) // if this fails, the lease expires
      return false
    }
    if (isTransientDatabaseError(err)) throw err // the lease expires, and the next attempt starts
    if (err instanceof ScoringError)
      log.warn({ subscriptionId, trial: id, version, why: err.message }, 'scorecard trial failed')
    else log.error({ err, subscriptionId, trial: id, version }, 'scorecard trial failed')
    await failTrial(db, claimed, err instanceof Error ? err.message : String(err))
  } finally {
    lease.close()
  }
  return true
}

async function runTrial(
  db: Db,
  { subscriptionId, code, version, captures }: ClaimedTrial,
  lease: Lease,
): Promise<TrialResult> {
  const [found] = await listDefinitions(db, [{ subscriptionId, version }])
  if (!found) throw new Error(`There is no definition of version ${version}`)
  const { definition } = found
  return runVerifiedBacktest(db, { subscriptionId, code, definition, last: captures }, lease)
}

/** Another worker has taken over the trial. */
class LeaseLost extends Error {
  override name = 'NoLongerOurs'
}

interface Lease {
  yieldToBatches(): Promise<void> | undefined
  onProgress(scored: number): Promise<void>
  close(): void
}

/** Renews the claim, reports progress, and yields to batches. */
function openLease(
  { db, scheduler, leaseMs = LEASE_MS }: TrialContext,
  claimed: ClaimedTrial,
  signal: AbortSignal,
): Lease {
  let sliceEndsAt = performance.now() + SLICE_MS
  let progress = 0
  let isHeld = true
  async function renew(): Promise<void> {
    isHeld &&= await renewTrial(db, claimed, progress)
  }
  // also while the trial waits for batches; after a failed renewal, the next one retries
  const renewing = setInterval(() => void renew().catch(() => undefined), leaseMs / 3)
  async function waitForBatches(): Promise<void> {
    await scheduler.next(Number.POSITIVE_INFINITY)
    signal.throwIfAborted()
    if (!isHeld) throw new LeaseLost()
    sliceEndsAt = performance.now() + SLICE_MS
  }
  return {
    yieldToBatches: () => (performance.now() < sliceEndsAt ? undefined : waitForBatches()),
    async onProgress(scored) {
      progress = scored
      await renew()
      await waitForBatches()
    },
    close: () => clearInterval(renewing),
  }
}
