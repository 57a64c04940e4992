import type { Logger } from 'pino'
import { PLAIN_VAULT, type Vault } from '../../db/encryption/vault.ts'
import type { FirstSettlement } from '../../db/monitoring/pipeline-counter.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Scored } from './compute-insight.ts'
import { type Deployments, openDeployments } from './deployments.ts'
import { type FirstRuns, openFirstRuns } from './first-runs.ts'
import { type InFlightBatches, openInFlightBatches } from './in-flight-batches.ts'
import { openShortestFirst, type ShortestFirst } from './shortest-first.ts'

/** What the batches of a process share. */
export interface BatchContext {
  readonly db: Db
  readonly log: Logger
  readonly vault: Vault
  readonly deployments: Deployments
  readonly firstRuns: FirstRuns
  readonly scheduler: ShortestFirst
  readonly inFlight: InFlightBatches
  readonly observer: BatchObserver
}

/** Counts what was processed. Its methods are called once the transaction is committed. */
export interface BatchObserver {
  /** Is called for each batch in which a dataset still waited. */
  onBatch?(outcome: BatchOutcome): void
  /** Is called for each dataset that became ready and had no insight before. */
  onScored?(subscriptionId: number, scored: readonly Scored[]): void
  /** Is called for each dataset that was settled for the first time. */
  onSettled?(settled: FirstSettlement): void
}

/** How many datasets of a batch were settled. Datasets that another worker settled meanwhile count nowhere. */
export interface BatchOutcome {
  readonly ready: number
  readonly invalid: number
  /** They still wait. */
  readonly failed: number
  readonly ms: number
}

/** Opens the context of a process, whose batches share one scheduler and one cache of scorecards. */
export function openBatchContext({
  db,
  log,
  vault = PLAIN_VAULT,
  observer = {},
}: {
  db: Db
  log: Logger
  vault?: Vault
  observer?: BatchObserver
}): BatchContext {
  return {
    db,
    log,
    vault,
    deployments: openDeployments(db, log),
    firstRuns: openFirstRuns(db, log),
    scheduler: openShortestFirst(),
    inFlight: openInFlightBatches(),
    observer,
  }
}
