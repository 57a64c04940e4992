import { join } from 'node:path'
import { z } from 'zod'
import type { PrivateJwk } from '../../db/accounts/token-keys.ts'
import { makeWrappingJwk } from '../../db/encryption/wrapping-keys.ts'
import { openDatabase, queryRows } from '../../db/postgres/database.ts'
import { openBenchTenant } from '../benchmark/open-tenant.ts'
import { findFreePort } from '../servers/find-free-port.ts'
import type { ProcessGroup } from '../servers/process-group.ts'
import { readProcfile } from '../servers/procfile.ts'
import { runToEnd } from '../servers/run-to-end.ts'
import { serverEnvironment } from '../servers/server-environment.ts'
import { startCommand } from '../servers/start-command.ts'
import { waitUntilReady } from '../servers/wait-until-ready.ts'
import { DATASET_MS } from './simulation-plan.ts'
import { openWorkerPool, type WorkerPool } from './worker-pool.ts'

const Load = z.object({
  waitSeconds: z.number(),
  datasetsWaiting: z.number(),
  oldestSeconds: z.number(),
})

/** Web on a database of its own, and workers on demand. */
export interface Installation {
  readonly port: number
  readonly uploaderKey: string
  readonly workers: WorkerPool
  /** Asks web for the load, as an autoscaler does. Undefined while web cannot tell (503): an autoscaler leaves its workers then. */
  readLoad(): Promise<z.output<typeof Load> | undefined>
  countWaiting(): Promise<number>
  /** Seconds from the upload of each settled dataset until it was settled, ascending. */
  listSettledSeconds(): Promise<number[]>
  close(): Promise<void>
}

/** Connections of each process: four installations with four workers each share a Postgres. */
const POOL_MAX = 4

/** Starts web; workers take one batch at a time, and `DATASET_MS` more for each dataset. */
export async function openInstallation(
  options: {
    readonly root: string
    readonly name: string
    readonly databaseUrl: string
    readonly redisUrl: string
    readonly signingKey: PrivateJwk
    readonly logs: string
  },
  processes: ProcessGroup,
): Promise<Installation> {
  const { root, name, databaseUrl, redisUrl, signingKey, logs } = options
  const { signal } = processes
  const command = readProcfile(root)
  const port = await findFreePort()
  const autoscaleToken = crypto.randomUUID()
  const env = {
    ...serverEnvironment({ databaseUrl, redisUrl, ownRedis: true, port }),
    TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [signingKey] }),
    DATA_ENCRYPTION_KEYS: JSON.stringify({ keys: [makeWrappingJwk()] }),
    DATABASE_POOL_MAX: String(POOL_MAX),
    WORKER_CONCURRENCY: '1',
    AUTOSCALE_TOKEN: autoscaleToken,
  }
  const commandOf = (role: string, type: string) => ({
    ...{
      name: `${name} ${role}`,
      command: 'sh',
      args: ['-c', `exec ${command(type)}`],
      cwd: root,
      env,
      signal,
    },
    log: join(logs, `${name}-${role}.log`),
    graceMs: 15_000,
  })
  await runToEnd('sh', ['-c', command('release')], { cwd: root, env, signal })
  const db = openDatabase({ url: databaseUrl, poolMax: 2 })
  await slowDown(db)
  const { uploaderKey } = await openBenchTenant(db, { name: 'Lender', tokens: 1, signingKey })
  const webCommand = commandOf('web', 'web')
  const web = processes.add(webCommand.name, webCommand.log, await startCommand(webCommand))
  const workers = openWorkerPool((n) => commandOf(`worker${n}`, 'worker'), signal)
  await waitUntilReady(`http://localhost:${port}`, signal)

  return {
    port,
    uploaderKey,
    workers,
    async readLoad() {
      const answer = await fetch(`http://localhost:${port}/autoscale/worker`, {
        headers: { Authorization: `Bearer ${autoscaleToken}` },
        signal,
      })
      if (answer.status === 503) {
        await answer.body?.cancel()
        return
      }
      if (!answer.ok) throw new Error(`/autoscale answered ${answer.status}: ${await answer.text()}`)
      return Load.parse(await answer.json())
    },
    async countWaiting() {
      const [row] = await queryRows<{ waiting: number }>(
        db,
        'select count(*) as waiting from datasets where ring_at is not null',
      )
      return row?.waiting ?? 0
    },
    listSettledSeconds: async () =>
      (
        await queryRows<{ seconds: number }>(
          db,
          `select extract(epoch from settled_at - uploaded_at)::float as seconds from datasets
           where settled_at is not null order by 1`,
        )
      ).map(({ seconds }) => seconds),
    async close() {
      await workers.close()
      await web.stop()
      await db.destroy()
    },
  }
}

/** Makes each insight take longer to store, so that the waiting and not the processor limits a worker. */
async function slowDown(db: Parameters<typeof queryRows>[0]): Promise<void> {
  await queryRows(
    db,
    `create function simulated_work() returns trigger language plpgsql as
     $$ begin perform pg_sleep(${DATASET_MS / 1_000}); return new; end $$`,
  )
  await queryRows(
    db,
    'create trigger simulated_work before insert on insights for each row execute function simulated_work()',
  )
}
