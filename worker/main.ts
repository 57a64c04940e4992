/** The worker process: processes batches, relays overdue datasets and runs maintenance, until SIGTERM or SIGINT. */

import { openSecurityLog } from '../db/audit/security-log.ts'
import { checkSettings } from '../db/checks/check-settings.ts'
import { openOverdueScan } from '../db/datasets/overdue-scan.ts'
import { isStoreUnavailable } from '../db/encryption/object-store-error.ts'
import { openVault } from '../db/encryption/vault.ts'
import { wrappingKeysOf } from '../db/encryption/wrapping-keys.ts'
import { keepEventClock } from '../db/events/event-position.ts'
import { requireMigrated } from '../db/migrate-database.ts'
import { openPipelineCounter } from '../db/monitoring/pipeline-counter.ts'
import { saveStability } from '../db/monitoring/score-stability.ts'
import { openObjectStore } from '../db/object-store/object-store.ts'
import { storeCaptures } from '../db/object-store/store-captures.ts'
import { databaseOptions, openDatabase } from '../db/postgres/database.ts'
import { isTransientDatabaseError } from '../db/postgres/database-errors.ts'
import { takeTurn } from '../db/postgres/take-turn.ts'
import { checkPooler } from '../db/queue/check-pooler.ts'
import { queueLocation } from '../db/queue/open-queue.ts'
import { openProducer } from '../db/queue/producer.ts'
import { warnIfOwner } from '../db/roles/current-role.ts'
import { readEnvOrExit } from '../db/runtime/env.ts'
import { logErrors, openLog } from '../db/runtime/log.ts'
import { openReach } from '../db/runtime/reach.ts'
import { repeat } from '../db/runtime/repeat.ts'
import { waitForShutdown } from '../db/runtime/shutdown.ts'
import { openBatchContext } from './batches/batch-context.ts'
import { startBatchWorker } from './batches/batch-worker.ts'
import { processBatch } from './batches/process-batch.ts'
import { workerEnv } from './config.ts'
import { openMetrics } from './health/metrics.ts'
import { openProgress } from './health/progress.ts'
import { startHealth } from './health/start-health.ts'
import { closeCollections } from './maintenance/close-collections.ts'
import { convertStored } from './maintenance/convert-stored.ts'
import { enforceRetention } from './maintenance/enforce-retention.ts'
import { erasePersons } from './maintenance/erase-persons.ts'
import { logSecurityEvents } from './maintenance/log-security-events.ts'
import { measureStored } from './maintenance/measure-stored.ts'
import { pruneAuditLogs } from './maintenance/prune-audit-logs.ts'
import { pruneExpired } from './maintenance/prune-expired.ts'
import { pruneRecords } from './maintenance/prune-records.ts'
import { relayOverdue } from './maintenance/relay.ts'
import { removeCaptures, sweepCaptures } from './maintenance/remove-captures.ts'
import { openScoreCounts } from './monitoring/score-counts.ts'
import { daysBefore, measureStability } from './monitoring/score-stability.ts'
import { markOf } from './scoring/stability.ts'
import { runNextTrial } from './trials/run-next-trial.ts'
import { openSender } from './webhooks/send-message.ts'
import { startWebhooks } from './webhooks/start-webhooks.ts'

const SECURITY_LOG_PAUSE_MS = 1_000
const RELAY_PAUSE_MS = 2_000
const COUNTING_PAUSE_MS = 5_000
const ERASURE_PAUSE_MS = 5_000
const REMOVAL_PAUSE_MS = 5_000
const SWEEP_PAUSE_MS = 600_000
const HOUSEKEEPING_PAUSE_MS = 60_000
/** A little less than the pause, so that the same worker gets the next turn too. */
const TURN_SECONDS = 55
const STABILITY_PAUSE_MS = 600_000
const TRIAL_PAUSE_MS = 1_000

const env = readEnvOrExit(workerEnv(process.env), process.env)
const log = openLog(env.LOG_LEVEL)
const database = databaseOptions(env)
const location = queueLocation(database, env)
const db = openDatabase(database)
const producer = openProducer(location, log)

await checkPooler(location, log)
await requireMigrated(db, log)
if (process.env.NODE_ENV === 'production') {
  await checkSettings(db, log)
  await warnIfOwner(db, log)
}
await keepEventClock(db).catch(logErrors(log, 'event clock'))
const stuckMs = env.WORKER_STUCK_SECONDS * 1_000
const isBrokenOff = (error: unknown) => isTransientDatabaseError(error) || isStoreUnavailable(error)
const progress = openProgress({ stuckMs, isBrokenOff })
const metrics = openMetrics({ db, progress })
const captures =
  env.CAPTURE_STORE_URL && (await openObjectStore(env.CAPTURE_STORE_URL, metrics.countObjectRequest))
const vault = storeCaptures(openVault(db, wrappingKeysOf(env.DATA_ENCRYPTION_KEYS)), captures)
const port = env.WORKER_HEALTH_PORT
const health = await startHealth({
  db,
  vault,
  captures,
  producer,
  log,
  progress,
  metrics,
  stuckMs,
  port,
}).catch((err) => {
  log.fatal({ err }, `Cannot listen on port ${port}`)
  process.exit(1)
})
const scoreCounts = openScoreCounts(db)
const pipelineCounts = openPipelineCounter(db)
const webhooks = startWebhooks({
  ...{ db, vault, sender: openSender(openReach(env.WEBHOOK_PRIVATE_NETWORKS)) },
  onAttempt: metrics.countDelivery,
  onError: logErrors(log, 'webhooks'),
})
const context = openBatchContext({
  db,
  log,
  vault,
  observer: {
    onScored: scoreCounts.add,
    onSettled: pipelineCounts.countSettled,
    onBatch(outcome) {
      metrics.countBatch(outcome)
      webhooks.wake()
    },
  },
})
const worker = startBatchWorker(location, {
  concurrency: env.WORKER_CONCURRENCY,
  process: (datasets, enqueuedAt) =>
    metrics.countJob(progress.during(() => processBatch(context, datasets, enqueuedAt))),
  onError: logErrors(log, 'worker', 'error'),
})
const scan = openOverdueScan()
const relay = repeat(RELAY_PAUSE_MS, () => relayOverdue({ db, producer, log, scan }), logErrors(log, 'relay'))
const counting = repeat(COUNTING_PAUSE_MS, pipelineCounts.flush, logErrors(log, 'counts of the pipeline'))
const housekeeping = repeat(
  HOUSEKEEPING_PAUSE_MS,
  async (signal) => {
    await scoreCounts.flush()
    await keepEventClock(db)
    if (await takeTurn(db, 'pruning', TURN_SECONDS)) await pruneExpired({ db, log }, signal)
  },
  logErrors(log, 'housekeeping'),
)
const stability = repeat(
  STABILITY_PAUSE_MS,
  async () => {
    const now = new Date()
    const measured = await measureStability(db, now)
    metrics.setStability(measured)
    await saveStability(
      db,
      daysBefore(now, 1),
      measured.map((one) => ({ ...one, mark: markOf(one.psi) })),
    )
  },
  logErrors(log, 'stability of scores'),
)
const recordDays = {
  reads: env.REQUEST_RETENTION_DAYS,
  events: env.EVENT_RETENTION_DAYS,
  feed: env.FEED_RETENTION_DAYS,
}
const retention = repeat(
  HOUSEKEEPING_PAUSE_MS,
  async (signal) => {
    if (!(await takeTurn(db, 'retention', TURN_SECONDS))) return
    await enforceRetention({ db, log }, signal)
    await pruneRecords({ db, log, days: recordDays }, signal)
    await pruneAuditLogs({ db, log, days: env.AUDIT_RETENTION_DAYS }, signal)
  },
  logErrors(log, 'retention'),
)
const encryption = repeat(
  HOUSEKEEPING_PAUSE_MS,
  (signal) => convertStored({ db, vault, log }, signal),
  logErrors(log, 'encryption'),
)
const erasures = repeat(
  ERASURE_PAUSE_MS,
  (signal) => erasePersons({ db, vault, log }, signal),
  logErrors(log, 'erasures'),
)
const removals = repeat(
  REMOVAL_PAUSE_MS,
  async (signal) => captures && removeCaptures({ db, store: captures, log }, signal),
  logErrors(log, 'removal of captures'),
)
const sweep = repeat(
  SWEEP_PAUSE_MS,
  async (signal) => captures && sweepCaptures({ db, store: captures, log }, signal),
  logErrors(log, 'orphans in object storage'),
)
const collections = repeat(
  HOUSEKEEPING_PAUSE_MS,
  (signal) => closeCollections({ db, producer, log }, signal),
  logErrors(log, 'abandoned collections'),
)
const storage = repeat(
  HOUSEKEEPING_PAUSE_MS,
  async (signal) => {
    if (await takeTurn(db, 'stored bytes', TURN_SECONDS)) await measureStored({ db, log }, signal)
  },
  logErrors(log, 'stored bytes'),
)

const trials = repeat(
  TRIAL_PAUSE_MS,
  async (signal) => {
    while (!signal.aborted && (await runNextTrial(context, signal)));
  },
  logErrors(log, 'trials of scorecards'),
)

const writeSecurityEvent = openSecurityLog(log, env.SECURITY_LOG === 'names')
const securityLog = repeat(
  SECURITY_LOG_PAUSE_MS,
  (signal) => logSecurityEvents({ db, write: writeSecurityEvent }, signal),
  logErrors(log, 'log of security events'),
)

const { WORKER_CONCURRENCY: concurrency } = env
await waitForShutdown(log, env.DRAIN_SECONDS, () => log.info({ concurrency }, 'working'))
health.drain()
const repeated = [
  relay,
  counting,
  housekeeping,
  retention,
  encryption,
  erasures,
  removals,
  sweep,
  collections,
  stability,
  storage,
  trials,
  securityLog,
]
await Promise.all([worker.close(), webhooks.stop(), ...repeated.map((repetition) => repetition.stop())])
await pipelineCounts.flush().catch(logErrors(log, 'counts of the pipeline'))
await scoreCounts.flush().catch(logErrors(log, 'counts of scores'))
await health.stop()
await producer.close()
captures?.close()
await db.destroy()
log.info('stopped')
process.exit(0) // while Redis is unavailable, a timer is left
