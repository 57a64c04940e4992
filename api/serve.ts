import cluster from 'node:cluster'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { openSecurityLog } from '../db/audit/security-log.ts'
import { checkSettings } from '../db/checks/check-settings.ts'
import { openSiteKeyCounter } from '../db/collections/site-key-use.ts'
import { openVault } from '../db/encryption/vault.ts'
import { wrappingKeysOf } from '../db/encryption/wrapping-keys.ts'
import { keepEventClock } from '../db/events/event-position.ts'
import { defaultLimits } from '../db/limits/default-limits.ts'
import { presentedOf } from '../db/metrics/metrics-page.ts'
import { openRegistry } from '../db/metrics/open-registry.ts'
import { addPoolMetrics } from '../db/metrics/pool-metrics.ts'
import { serveMetrics } from '../db/metrics/serve-metrics.ts'
import { requireMigrated } from '../db/migrate-database.ts'
import { openPipelineCounter } from '../db/monitoring/pipeline-counter.ts'
import { nameSessions } from '../db/monitoring/processes.ts'
import { openObjectStore } from '../db/object-store/object-store.ts'
import { storeCaptures } from '../db/object-store/store-captures.ts'
import { type Db, databaseOptions, openDatabase } from '../db/postgres/database.ts'
import { openReplica, REPLICA_PROBE_MS, type Replica } from '../db/postgres/replica.ts'
import { checkPooler } from '../db/queue/check-pooler.ts'
import { queueLocation } from '../db/queue/open-queue.ts'
import { openProducer } from '../db/queue/producer.ts'
import { openQueueView } from '../db/queue/queue-view.ts'
import { warnIfOwner } from '../db/roles/current-role.ts'
import { logErrors, openLog } from '../db/runtime/log.ts'
import { repeat } from '../db/runtime/repeat.ts'
import { waitForShutdown } from '../db/runtime/shutdown.ts'
import { startTracing } from '../db/runtime/tracing/start-tracing.ts'
import { isTracing } from '../db/runtime/tracing/tracing-variables.ts'
import { serviceVersion } from '../db/runtime/version.ts'
import { withTimeout } from '../db/runtime/with-timeout.ts'
import { openSigningKeys } from './account/signing-keys.ts'
import { openTokens } from './account/tokens.ts'
import { buildApp } from './app.ts'
import { openTrail } from './audit/trail.ts'
import { openCollectionTokens } from './collections/collection-tokens.ts'
import type { WebEnv } from './config.ts'
import { openChallenges } from './factors/challenges.ts'
import { DEFAULT_ADDRESS_HEADER } from './http/address-header.ts'
import { openServer } from './http/open-server.ts'
import { prepareDrain } from './http/prepare-drain.ts'
import { openReplicaReads } from './insights/replica-reads.ts'
import { openLimiter } from './limits/limiter.ts'
import { answerPrimary } from './metrics/answer-primary.ts'
import { openWebMetrics } from './metrics/web-metrics.ts'

/** Listen backlog. A busy event loop accepts one connection per iteration; beyond the backlog, a client's system retries after 1 s. */
const BACKLOG = 4_096

/** Interval at which upload counts are stored; a killed process loses at most this much of them. */
const FLUSH_INTERVAL_MS = 5_000

/** Interval at which security events are stored; a killed process loses at most this much of them. */
const TRAIL_INTERVAL_MS = 500

/** Interval at which reads of a replica are recorded; a killed process loses at most the records of this time. */
const READS_INTERVAL_MS = 200

/** Time for closing connections to a replica that may not answer. */
const CLOSE_MS = 1_000

/** Interval at which processes learn what the others admit; a killed process loses at most this much of its counts. */
const LIMITS_INTERVAL_MS = 1_000

/** Serves the API on PORT until the process is asked to stop. @param isProduction warns of what production should not have, and exits where uploads would be lost. */
export async function serve(env: WebEnv, isProduction: boolean): Promise<never> {
  const log = openLog(env.LOG_LEVEL, { isTraced: isTracing(env) })
  const tracing = await startTracing(env, 'inkling-web', log)
  const database = nameSessions(databaseOptions(env), { kind: 'web', version: serviceVersion().version })
  const db = openDatabase(database)
  const location = queueLocation(database, env)
  const producer = openProducer(location, log)

  await checkPooler(location, log)
  await requireMigrated(db, log)
  if (isProduction) {
    await checkSettings(db, log)
    await warnIfOwner(db, log)
  }
  await keepEventClock(db).catch(logErrors(log, 'event clock'))
  const signingKeys = await openSigningKeys(db, env.TOKEN_SIGNING_KEYS, log).catch((err) => {
    log.fatal({ err }, 'The signing keys are in the database, which is unavailable: set TOKEN_SIGNING_KEYS')
    process.exit(1)
  })
  const captures = env.CAPTURE_STORE_URL && (await openObjectStore(env.CAPTURE_STORE_URL))
  const vault = storeCaptures(openVault(db, wrappingKeysOf(env.DATA_ENCRYPTION_KEYS)), captures)
  const counts = openPipelineCounter(db)
  const siteKeyUse = openSiteKeyCounter(db)
  const trail = openTrail(db, openSecurityLog(log, env.SECURITY_LOG === 'names'))
  const limits = defaultLimits(env)
  const onLimitsError = logErrors(log, 'limits')
  const limiter = openLimiter(db, limits, onLimitsError)
  const tokens = openTokens(signingKeys, env.TOKEN_TTL_MINUTES)
  if (env.OPS_PASSWORD !== undefined)
    log.warn('OPS_PASSWORD is deprecated: create accounts for /ops with scripts/admin operator create')
  if (env.CLIENT_ADDRESS_HEADER !== DEFAULT_ADDRESS_HEADER && env.TRUSTED_PROXIES.length === 0)
    log.warn('CLIENT_ADDRESS_HEADER has no effect: TRUSTED_PROXIES names no proxy')
  const replica = openReplicaOf(env, db, log)
  const replicaReads = replica && openReplicaReads(db, replica)
  const registry = openRegistry()
  addPoolMetrics(registry, { primary: db, ...(replica && { replica: replica.db }) })
  const metrics = openWebMetrics(registry, limiter.listUse)
  const queue = openQueueView(location, logErrors(log, 'queue connection of /ops'))
  const app = buildApp(
    {
      ...{ db, vault, captures, producer, tokens, log, metrics },
      ...{ trail, counts, siteKeyUse, limiter, replicaReads },
      collectionTokens: openCollectionTokens(signingKeys),
      challenges: openChallenges(signingKeys),
    },
    {
      maxBodyBytes: env.MAX_BODY_BYTES,
      isTraced: tracing !== undefined,
      insightWaitMs: env.INSIGHT_WAIT_MS,
      collectionPath: env.COLLECTION_PATH,
      publicUrl: env.PUBLIC_URL,
      limits,
      ssoPrivateNetworks: env.SSO_PRIVATE_NETWORKS,
      webhookPrivateNetworks: env.WEBHOOK_PRIVATE_NETWORKS,
      trustedProxies: env.TRUSTED_PROXIES,
      addressHeader: env.CLIENT_ADDRESS_HEADER,
      ops: { sharedPassword: env.OPS_PASSWORD, location, queue },
      autoscaleToken: env.AUTOSCALE_TOKEN,
    },
  )
  const server = openServer(app, log, { publicUrl: env.PUBLIC_URL, metrics })
  const drain = prepareDrain(server)
  server.listen({ port: env.PORT, backlog: BACKLOG })
  server.once('error', (err) => {
    log.fatal({ err }, `Cannot listen on port ${env.PORT}`)
    process.exit(1)
  })
  await once(server, 'listening')
  // the primary of a cluster serves the metrics of all processes
  const answerOnce = cluster.isWorker ? answerPrimary(registry) : undefined
  const metricsServer = cluster.isWorker
    ? undefined
    : await serveMetrics(env.METRICS_PORT, presentedOf(registry), log)

  const onCountsError = logErrors(log, 'pipeline counts')
  const flush = async () => {
    await counts.flush()
    await siteKeyUse.flush()
  }
  const counting = repeat(FLUSH_INTERVAL_MS, flush, onCountsError)
  const onTrailError = logErrors(log, 'security events')
  const recording = repeat(TRAIL_INTERVAL_MS, trail.flush, onTrailError)
  const limiting = repeat(LIMITS_INTERVAL_MS, () => limiter.sync(), onLimitsError)
  const onReplicaError = logErrors(log, 'replica')
  const onReadsError = logErrors(log, 'records of reads')
  const probing = replica && repeat(REPLICA_PROBE_MS, replica.probe, onReplicaError)
  const recordingReads = replicaReads && repeat(READS_INTERVAL_MS, replicaReads.flush, onReadsError)
  const { port } = server.address() as AddressInfo
  await waitForShutdown(log, env.DRAIN_SECONDS, () =>
    log.info({ port, encrypted: env.DATA_ENCRYPTION_KEYS !== undefined, ...serviceVersion() }, 'listening'),
  )
  await drain()
  await counting.stop()
  await recording.stop()
  await limiting.stop()
  void probing?.stop() // it waits for a replica that does not answer
  await recordingReads?.stop()
  await replicaReads?.flush().catch(onReadsError)
  await limiter.sync({ all: true }).catch(onLimitsError)
  await flush().catch(onCountsError)
  await trail.flush().catch(onTrailError)
  await queue.close()
  await producer.close()
  captures?.close()
  await answerOnce?.()
  metricsServer?.close()
  if (replica) await withTimeout(CLOSE_MS, 'The replica', replica.close()).catch(onReplicaError)
  await db.destroy()
  await tracing?.stop()
  log.info('stopped')
  process.exit(0) // an unavailable Redis leaves a timer behind
}

function openReplicaOf(env: WebEnv, primary: Db, log: Logger): Replica | undefined {
  const { DATABASE_REPLICA_URL: url } = env
  if (url === undefined) return undefined
  return openReplica(primary, { ...databaseOptions(env), url, directUrl: undefined }, (isCurrent) => {
    if (isCurrent) log.info('the replica answers reads of insights')
    else log.warn('the replica is behind, or follows another server: the primary answers reads of insights')
  })
}
