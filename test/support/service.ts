import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { hashPassword } from '../../api/account/password-hashing.ts'
import type { BrowserTimes } from '../../api/account/session-cookies.ts'
import { fixedSigningKeys, makeSigningKey } from '../../api/account/signing-keys.ts'
import { openTokens, type Tokens } from '../../api/account/tokens.ts'
import { buildApp } from '../../api/app.ts'
import { openTrail } from '../../api/audit/trail.ts'
import { openCollectionTokens } from '../../api/collections/collection-tokens.ts'
import { type Challenges, openChallenges } from '../../api/factors/challenges.ts'
import { type ConnectionLimits, openServer } from '../../api/http/open-server.ts'
import { openLimiter } from '../../api/limits/limiter.ts'
import { createApiKey } from '../../db/accounts/api-keys.ts'
import type { KeyRole, KeyScope } from '../../db/accounts/key-scopes.ts'
import { createSubscription } from '../../db/accounts/subscriptions.ts'
import type { PrivateJwk } from '../../db/accounts/token-keys.ts'
import { inviteUser } from '../../db/accounts/user-accounts.ts'
import { createUser, type UserRole } from '../../db/accounts/users.ts'
import { openSecurityLog } from '../../db/audit/security-log.ts'
import { openSiteKeyCounter } from '../../db/collections/site-key-use.ts'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { openVault } from '../../db/encryption/vault.ts'
import type { WrappingKey } from '../../db/encryption/wrapping-keys.ts'
import { type DefaultLimits, NO_DEFAULTS } from '../../db/limits/default-limits.ts'
import { openPipelineCounter } from '../../db/monitoring/pipeline-counter.ts'
import type { CaptureStoreLocation } from '../../db/object-store/capture-store-url.ts'
import { openObjectStore } from '../../db/object-store/object-store.ts'
import { storeCaptures } from '../../db/object-store/store-captures.ts'
import { type Db, openDatabase } from '../../db/postgres/database.ts'
import type { QueueLocation } from '../../db/queue/open-queue.ts'
import { openProducer, type QueueProducer } from '../../db/queue/producer.ts'
import { openQueueView } from '../../db/queue/queue-view.ts'
import { deployDemoScorecards } from '../../scripts/scorecards/deploy-scorecard.ts'
import { openBatchContext } from '../../worker/batches/batch-context.ts'
import { type BatchWorker, startBatchWorker } from '../../worker/batches/batch-worker.ts'
import { processBatch } from '../../worker/batches/process-batch.ts'
import { anActor } from './actors.ts'
import { claimRedisUrl, openTestDatabase } from './stores.ts'

/** Backend of the queue. */
export type Backend = 'redis' | 'postgres'

export const BACKENDS: readonly Backend[] = ['redis', 'postgres']

export const PASSWORD = 'correct horse battery staple'

/** A subscription with a key of each role and a user. */
export interface Tenant {
  readonly subscriptionId: number
  readonly name: string
  readonly uploaderKey: string
  readonly requesterKey: string
  readonly userEmail: string
}

/** The whole service in this process: real Postgres, real queue, real HTTP. */
export interface Service {
  readonly url: string
  /** As the role of web and worker. */
  readonly db: Db
  /** As the role that owns the tables, for tests that change them. */
  readonly owner: Db
  readonly producer: QueueProducer
  readonly tokens: Tokens
  readonly challenges: Challenges
  /** The first one signs its tokens; the second one is the previous key after a rotation. */
  readonly signingKeys: readonly [PrivateJwk, PrivateJwk]
  readonly location: QueueLocation
  /** Log lines so far. */
  readonly logged: string[]
  openTenant(): Promise<Tenant>
  /** Saves the pipeline counts, the use of site keys and of limits, and security events; processes do so every 5 s or less. */
  flushCounts(): Promise<void>
  /** Starts a worker; `startService` starts one by default. */
  startWorker(pace?: Pace): BatchWorker
  stop(): Promise<void>
}

/** Speed of a worker, unlimited by default. */
interface Pace {
  readonly concurrency?: number
  /** Pause before each job. */
  readonly pauseMs?: number
}

export interface ServiceOptions {
  readonly backend?: Backend
  readonly worker?: boolean
  readonly insightWaitMs?: number
  readonly browserTimes?: BrowserTimes
  readonly maxBodyBytes?: number
  readonly trustedProxies?: readonly string[]
  /** https://inkling.example by default. */
  readonly publicUrl?: string
  readonly opsPassword?: string
  readonly autoscaleToken?: string
  /** Limits of subscriptions and keys without their own; none by default. */
  readonly limits?: DefaultLimits
  /** Keys that encrypt; without them, data is stored as it is. */
  readonly wrappingKeys?: readonly WrappingKey[]
  /** The object storage of captures; by default, they are in Postgres. */
  readonly captureStore?: CaptureStoreLocation
  readonly connectionLimits?: ConnectionLimits
  /** Returns the URL through which the service connects to a store, so that a test can insert a proxy. */
  readonly routeDatabase?: (url: string) => Promise<string>
  readonly routeRedis?: (url: string) => Promise<string>
}

const direct = async (url: string) => url

let tenants = 0

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const stored = await openTestDatabase()
  const { routeDatabase = direct, routeRedis = direct } = options
  const database = { url: await routeDatabase(stored.url), poolMax: 8 }
  const redis = options.backend === 'postgres' ? undefined : { url: await routeRedis(await claimRedisUrl()) }
  const location: QueueLocation = { database, redis }
  const db = openDatabase(database)
  const owner = openDatabase({ url: stored.ownerUrl, poolMax: 2 })
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(line) })
  const onError = (err: unknown) => log.error({ err }, 'error')
  const producer = openProducer(location, log)
  const signingKeys = [await makeSigningKey(), await makeSigningKey()] as const
  const keys = await fixedSigningKeys(signingKeys)
  const tokens = openTokens(keys, 60)
  const collectionTokens = openCollectionTokens(keys)
  const captures = options.captureStore && (await openObjectStore(options.captureStore))
  const vault = storeCaptures(openVault(db, options.wrappingKeys ?? []), captures)
  const challenges = openChallenges(keys)
  const counts = openPipelineCounter(db)
  const siteKeyUse = openSiteKeyCounter(db)
  const trail = openTrail(db, openSecurityLog(log, false))
  const limits = options.limits ?? NO_DEFAULTS
  const limiter = openLimiter(db, limits, onError)
  const queueView = openQueueView(location, onError)
  const { publicUrl = 'https://inkling.example' } = options
  const app = buildApp(
    {
      db,
      vault,
      captures,
      producer,
      tokens,
      collectionTokens,
      challenges,
      log,
      trail,
      counts,
      siteKeyUse,
      limiter,
    },
    {
      maxBodyBytes: options.maxBodyBytes ?? 8 * 1024 * 1024,
      insightWaitMs: options.insightWaitMs ?? 10_000,
      publicUrl,
      trustedProxies: options.trustedProxies ?? [],
      limits,
      ops: { sharedPassword: options.opsPassword, location, queue: queueView },
      autoscaleToken: options.autoscaleToken,
      ...(options.browserTimes && { browserTimes: options.browserTimes }),
    },
  )
  const server = openServer(app, log, { limits: options.connectionLimits, publicUrl })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const workers: BatchWorker[] = []
  const startWorker = ({ concurrency = 4, pauseMs = 0 }: Pace = {}) => {
    const context = openBatchContext({ db, log, vault, observer: { onSettled: counts.countSettled } })
    const process = async (keys: readonly DatasetKey[], enqueuedAt: Date) => {
      if (pauseMs > 0) await delay(pauseMs)
      await processBatch(context, keys, enqueuedAt)
    }
    const worker = startBatchWorker(location, { concurrency, process, onError })
    workers.push(worker)
    return worker
  }
  if (options.worker !== false) startWorker()

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    db,
    owner,
    producer,
    tokens,
    challenges,
    signingKeys,
    location,
    logged,
    startWorker,
    async flushCounts() {
      await counts.flush()
      await siteKeyUse.flush()
      await trail.flush()
      await limiter.sync({ all: true })
    },
    openTenant: () => openTenant(db),
    async stop() {
      server.close()
      server.closeAllConnections()
      await Promise.all(workers.map((worker) => worker.close()))
      await queueView.close()
      await producer.close()
      captures?.close()
      await db.destroy()
      await stored.drop()
    },
  }
}

const passwordHash = hashPassword(PASSWORD)

/** Creates a subscription like the operator's command, with a key of each role and an analyst. */
export async function openTenant(db: Db): Promise<Tenant> {
  const name = `Lender ${++tenants}`
  const userEmail = `analyst${tenants}@lender.example`
  const { id: subscriptionId } = await createSubscription(db, name)
  await deployDemoScorecards(db, subscriptionId)
  const key = async (role: KeyRole) => (await createApiKey(db, { subscriptionId, role })).key
  await addUser(db, subscriptionId, userEmail, 'analyst')
  return {
    subscriptionId,
    name,
    userEmail,
    uploaderKey: await key('uploader'),
    requesterKey: await key('requester'),
  }
}

/** Creates a key of a subscription with these scopes. */
export const keyWith = async (db: Db, subscriptionId: number, ...scopes: KeyScope[]): Promise<string> =>
  (await createApiKey(db, { subscriptionId, scopes })).key

/** Invites a new analyst, as an admin does. */
export async function inviteSomebody(
  db: Db,
  subscriptionId: number,
): Promise<{ id: number; token: string; userEmail: string }> {
  const userEmail = `${crypto.randomUUID()}@lender.example`
  const invited = await inviteUser(db, {
    subscriptionId,
    actor: anActor('a test'),
    userEmail,
    role: 'analyst',
  })
  if (!invited) throw new Error('The e-mail is taken')
  return { ...invited, userEmail }
}

export async function addUser(
  db: Db,
  subscriptionId: number,
  email: string,
  role: UserRole,
): Promise<number> {
  return createUser(db, { subscriptionId, email, role, passwordHash: await passwordHash })
}
