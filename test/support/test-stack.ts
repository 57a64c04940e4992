import { setTimeout as delay } from 'node:timers/promises'
import { type Db, openDatabase } from '../../db/postgres/database.ts'
import { type Backend, openTenant, type Tenant } from './service.ts'
import { paasEnv, type StartedProcess, startWeb, startWorker, type WebProcess } from './start-process.ts'
import { claimRedisUrl, openTestDatabase, type TestDatabase } from './stores.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** The service as on a PaaS, with its own stores, which can be made unavailable. */
export interface TestStack extends AsyncDisposable {
  /** Environment of its processes. */
  readonly env: Record<string, string>
  readonly tenant: Tenant
  /** URL of its database itself, not of the proxy. */
  readonly databaseUrl: string
  /** The same as the role that owns the tables. */
  readonly ownerUrl: string
  /** As the role of web and worker. Always available, as it does not connect through the proxy. */
  readonly db: Db
  /** As the role that owns the tables, for tests that change them. */
  readonly owner: Db
  readonly postgres: TcpProxy
  readonly redis: TcpProxy
  /** @param project directory of another version; this one by default. */
  startWeb(more?: Record<string, string>, project?: string): Promise<WebProcess>
  startWorker(more?: Record<string, string>, project?: string): Promise<StartedProcess>
  /** Opens a new subscription. */
  openTenant(): Promise<Tenant>
  /** Lists the URLs of the running web processes. */
  webUrls(): string[]
  /** Lists the output of each process that ended unexpectedly. */
  listFallen(): string[]
  countWaiting(): Promise<number>
  /** Lets the relay enqueue all waiting datasets now, instead of 15 s after their upload. */
  expireEnqueueTimeouts(): Promise<void>
  /** Resolves when no dataset is waiting. @throws after `ms` milliseconds. */
  untilProcessed(ms: number): Promise<void>
}

/** Starts a stack. @param options stores of the test: a migrated database and a Redis. */
export async function startTestStack(
  options: {
    backend?: Backend
    database?: TestDatabase
    redisUrl?: string
    env?: Record<string, string>
    /** Opens a subscription if the tables are not those of this version. */
    openTenant?: (db: Db) => Promise<Tenant>
  } = {},
): Promise<TestStack> {
  const stored = options.database ?? (await openTestDatabase())
  const db = openDatabase({ url: stored.url, poolMax: 2 })
  const owner = openDatabase({ url: stored.ownerUrl, poolMax: 2 })
  const makeTenant = options.openTenant ?? openTenant
  const postgres = await openTcpProxy(stored.url)
  const redis = await openTcpProxy(options.redisUrl ?? (await claimRedisUrl()))
  const started: StartedProcess[] = []
  const webs = new Set<WebProcess>()
  const unexpectedEnds: string[] = []
  /** Registers a process, and records its output if it ends unexpectedly. */
  const register = <P extends StartedProcess>(process: P): P => {
    let endRequested = false
    const send: P['send'] = (signal) => {
      endRequested ||= signal !== 'SIGSTOP' && signal !== 'SIGCONT'
      process.send(signal)
    }
    const end: P['end'] = (signal) => {
      endRequested = true
      return process.end(signal)
    }
    void process.ended.then(() => {
      if (!endRequested) unexpectedEnds.push(process.output())
    })
    const registered = { ...process, send, end }
    started.push(registered)
    return registered
  }
  const env = paasEnv(
    { databaseUrl: postgres.url, redisUrl: options.backend === 'postgres' ? undefined : redis.url },
    { DRAIN_SECONDS: '5', ...options.env },
  )
  const countWaiting = async () =>
    (await db.raw('select count(*)::int as waiting from datasets where ring_at is not null')).rows[0].waiting

  return {
    env,
    tenant: await makeTenant(db),
    openTenant: () => makeTenant(db),
    databaseUrl: stored.url,
    ownerUrl: stored.ownerUrl,
    db,
    owner,
    postgres,
    redis,
    async startWeb(more, project) {
      const web = register(await startWeb({ ...env, ...more }, project))
      webs.add(web)
      void web.ended.then(() => webs.delete(web))
      return web
    },
    startWorker: async (more, project) => register(await startWorker({ ...env, ...more }, project)),
    webUrls: () => [...webs].map(({ url }) => url),
    listFallen: () => unexpectedEnds,
    countWaiting,
    async expireEnqueueTimeouts() {
      // in the order of the keys, as workers lock them
      await db.raw(`
        with waiting as (
          select subscription_id, id from datasets where ring_at is not null order by subscription_id, id for no key update
        )
        update datasets d set ring_at = now() from waiting w where d.subscription_id = w.subscription_id and d.id = w.id`)
    },
    async untilProcessed(ms) {
      for (const deadline = performance.now() + ms; ; await delay(50)) {
        const waiting = await countWaiting()
        if (waiting === 0) return
        if (performance.now() > deadline)
          throw new Error(
            `${waiting} still wait after ${ms} ms:\n${started.map((one) => one.output()).join('\n')}`,
          )
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((process) => process.end('SIGKILL')))
      await Promise.all([postgres.cut(), redis.cut()])
      await Promise.all([db.destroy(), owner.destroy()])
      await stored.drop()
    },
  }
}
