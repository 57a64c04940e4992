import { join } from 'node:path'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { PrivateJwk } from '../../db/accounts/token-keys.ts'
import { makeWrappingJwk } from '../../db/encryption/wrapping-keys.ts'
import { type Db, openDatabase, queryRows } from '../../db/postgres/database.ts'
import { findFreePort } from '../servers/find-free-port.ts'
import type { ProcessGroup } from '../servers/process-group.ts'
import { runToEnd } from '../servers/run-to-end.ts'
import { serverEnvironment } from '../servers/server-environment.ts'
import { startCommand } from '../servers/start-command.ts'
import type { ManagedProcess } from '../servers/start-supervisor.ts'
import { waitUntilReady } from '../servers/wait-until-ready.ts'
import type { Requests } from './load/load-plan.ts'
import { type BenchTenant, openBenchTenant } from './open-tenant.ts'
import { MARK } from './peak-memory.ts'

export type SystemName = 'inkling' | 'textbook'

/** One of the two compared systems: its processes, and its own databases on the shared servers. */
export interface System {
  readonly name: SystemName
  readonly port: number
  readonly tenant: BenchTenant
  readonly rival: BenchTenant
  readonly db: Db
  uploads(file: string, prefix: string, tenant?: BenchTenant): Requests
  /** Starts or stops workers until this number is running. */
  setWorkers(count: number): Promise<void>
  /** Stops workers from taking jobs until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Deletes all datasets and jobs and writes a checkpoint, so that no run pays for the previous one. */
  reset(): Promise<void>
  countDatasets(): Promise<{
    received: number
    ready: number
    invalid: number
    insights: number
    requests: number
  }>
  /** Settlement times of the datasets in milliseconds since the epoch, ascending. */
  listSettledAt(): Promise<number[]>
  /** Stops its processes, too. */
  close(): Promise<void>
}

export interface SystemOptions {
  readonly name: SystemName
  readonly root: string
  /** Shell commands. */
  readonly commands: { readonly release: string; readonly web: string; readonly worker: string }
  readonly tables: { readonly datasets: string; readonly insights: string; readonly requests: string }
  readonly queue: string
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly signingKey: PrivateJwk
  /** Number of access tokens to create. */
  readonly tokens: number
  readonly logs: string
  /** Directory for CPU profiles of web and worker. */
  readonly profiles?: string | undefined
  /** Creates additional tables after the release process. */
  readonly migrate?: ((db: Db) => Promise<void>) | undefined
}

/** Tables that `reset` does not truncate; all other tables are about datasets. */
const RETAINED_TABLES = [
  ...['subscriptions', 'users', 'sessions', 'refresh_tokens', 'api_keys', 'login_attempts', 'token_keys'],
  ...['site_keys', 'limits', 'usage_days', 'stored_bytes', 'opaque_id_secret', 'sighting_pruning'],
  ...['capture_sweep', 'event_clock'], // of one row each
  ...['data_keys', 'encryption_start', 'encryption_progress'], // captures are encrypted, as in production
  ...[
    'scorecards',
    'scorecard_versions',
    'scorecard_stages',
    'fragments',
    ...['audit_events', 'audit_chain', 'audit_heads', 'audit_deliveries'],
    'knex_migrations',
    'knex_migrations_lock',
  ],
]

/** Starts the web process of a system on empty databases; workers are started on demand. */
export async function openSystem(options: SystemOptions, processes: ProcessGroup): Promise<System> {
  const { name, root, databaseUrl, redisUrl, logs, signingKey, tables } = options
  const { signal } = processes
  const port = await findFreePort()
  const env = {
    ...serverEnvironment({ databaseUrl, redisUrl, ownRedis: true, port }),
    TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [signingKey] }),
    DATA_ENCRYPTION_KEYS: JSON.stringify({ keys: [makeWrappingJwk()] }),
  }
  await runToEnd('sh', ['-c', options.commands.release], {
    cwd: root,
    env: { ...env, NODE_OPTIONS: '' },
    signal,
  })
  const db = openDatabase({ url: databaseUrl, poolMax: 4 })
  await options.migrate?.(db)
  const { tokens } = options
  const tenant = await openBenchTenant(db, { name: 'Lender', tokens, signingKey })
  const rival = await openBenchTenant(db, { name: 'Rival', tokens: 1, signingKey })

  // not for the supervisors, which also run on Node
  const profile = options.profiles ? `env NODE_OPTIONS='--cpu-prof --cpu-prof-dir=${options.profiles}' ` : ''
  const start = async (role: string, command: string) => {
    const log = join(logs, `${name}-${role}.log`)
    const server = await startCommand({
      ...{
        name: `${name} ${role}`,
        command: 'sh',
        args: ['-c', `exec ${profile}${command}`],
        cwd: root,
        log,
        signal,
      },
      env: { ...env, [MARK]: `${name}-${role.replace(/\d+$/, '')}` },
      graceMs: 15_000,
    })
    return processes.add(`${name} ${role}`, log, server)
  }
  const web = await start('web', options.commands.web)
  await waitUntilReady(`http://localhost:${port}`, signal)

  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null })
  const queue = new Queue(options.queue, { connection: redis })
  const workers: ManagedProcess[] = []
  let started = 0
  const one = async <Row>(sql: string): Promise<Row> => {
    const [row] = await queryRows<Row>(db, sql)
    if (!row) throw new Error('A query returned no row')
    return row
  }
  const reset = async () => {
    await queue.drain(true)
    const { names } = await one<{ names: string }>(
      `select string_agg(format('%I.%I', schemaname, tablename), ', ') as names from pg_tables
       where schemaname in ('public', 'textbook') and (schemaname = 'textbook' or tablename not in (${RETAINED_TABLES.map((table) => `'${table}'`)}))`,
    )
    await queryRows(db, `truncate ${names} restart identity cascade`)
    await queryRows(db, 'checkpoint')
  }

  return {
    name,
    port,
    tenant,
    rival,
    db,
    uploads: (file, prefix, { uploaderKey } = tenant) => ({
      kind: 'uploads',
      file,
      prefix,
      key: uploaderKey,
    }),
    async setWorkers(count) {
      while (workers.length > count) await workers.pop()?.stop()
      while (workers.length < count) workers.push(await start(`worker${++started}`, options.commands.worker))
      // Wait until each worker waits for jobs in its own blocking command.
      while (count > 0 && (await queue.getWorkersCount()) < count)
        await new Promise((done) => setTimeout(done, 20))
    },
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    reset,
    countDatasets: () =>
      one(
        `select count(*) filter (where status = 'received') as received, count(*) filter (where status = 'ready') as ready,
                count(*) filter (where status = 'invalid') as invalid,
                (select count(*) from ${tables.insights}) as insights,
                (select count(*) from ${tables.requests}) as requests
         from ${tables.datasets}`,
      ),
    listSettledAt: async () =>
      (
        await queryRows<{ at: number }>(
          db,
          `select extract(epoch from settled_at)::double precision * 1000 as at from ${tables.datasets}
           where settled_at is not null order by settled_at`,
        )
      ).map(({ at }) => at),
    async close() {
      while (workers.length > 0) await workers.pop()?.stop()
      await web.stop()
      await queue.close()
      redis.disconnect()
      await db.destroy()
    },
  }
}
