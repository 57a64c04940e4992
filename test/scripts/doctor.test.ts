import { chmod, chown, copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { createSubscription } from '../../db/accounts/subscriptions.ts'
import { createDataKeys } from '../../db/encryption/data-keys.ts'
import { makeWrappingJwk, wrappingKeysOf } from '../../db/encryption/wrapping-keys.ts'
import { migrateDatabase } from '../../db/migrate-database.ts'
import { openObjectStore } from '../../db/object-store/object-store.ts'
import { openDatabase, queryRows } from '../../db/postgres/database.ts'
import { sql } from '../../db/postgres/sql.ts'
import type { CheckResult } from '../../scripts/installation-checks/run-checks.ts'
import { runDoctor } from '../../scripts/installation-checks/run-doctor.ts'
import { type PostgresServer, startPostgres } from '../../scripts/servers/start-postgres.ts'
import { type RedisServer, startRedis } from '../../scripts/servers/start-redis.ts'
import { makeCertificate } from '../support/certificate.ts'
import { call } from '../support/client.ts'
import { createDatabase } from '../support/databases.ts'
import { CREDENTIALS, type ObjectServer, startObjectServer } from '../support/object-store.ts'
import { type Pgbouncer, startPgbouncer, withoutPgbouncer } from '../support/pgbouncer.ts'
import { runHere } from '../support/run-admin.ts'
import { killProcesses, paasEnv, startProcess, startWeb } from '../support/start-process.ts'

const DATABASE = 'inkling'
const RESET = ['fsync', 'full_page_writes', 'autovacuum', 'ssl', 'ssl_cert_file', 'ssl_key_file']

/** Servers with the settings of production, which the other tests do not share. */
let directory: string
let postgres: PostgresServer
let redis: RedisServer
let objects: ObjectServer
let superuser: pg.Client
let redisClient: Redis
/** The environment of web in production, with nothing to find. */
let env: Record<string, string>
let secrets: string[]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'inkling-doctor-'))
  await chmod(directory, 0o711) // root's Postgres runs as another user
  ;[postgres, redis, objects] = await Promise.all([
    startPostgres({ directory: join(directory, 'postgres') }),
    startRedis({ directory: join(directory, 'redis') }),
    startObjectServer(),
  ])
  await createDatabase(postgres.url('postgres'), DATABASE)
  const [owner, runtime] = [postgres.url(DATABASE), postgres.runtimeUrl(DATABASE)]
  await migrateDatabase({ url: owner, poolMax: 2 }, { url: runtime, poolMax: 2 })
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value) // which the AWS SDK reads itself
  superuser = new pg.Client(owner)
  await superuser.connect()
  redisClient = new Redis(redis.url)
  const [signingKey, wrappingKey] = [await makeSigningKey(), makeWrappingJwk()]
  secrets = [new URL(owner).password, new URL(runtime).password, String(signingKey.d), wrappingKey.k]
  env = {
    ...paasEnv({ databaseUrl: runtime, redisUrl: redis.url }),
    ...CREDENTIALS,
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://inkling.example',
    TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [signingKey] }),
    DATA_ENCRYPTION_KEYS: JSON.stringify({ keys: [wrappingKey] }),
    CAPTURE_STORE_URL: `s3://${objects.bucket}?endpoint=${objects.endpoint}`,
  }
}, 60_000)

afterAll(async () => {
  vi.unstubAllEnvs()
  await killProcesses()
  redisClient?.disconnect()
  await superuser?.end()
  await Promise.all([postgres?.stop(), redis?.stop(), objects?.close()])
  await rm(directory, { recursive: true, force: true })
})

afterEach(async () => {
  for (const setting of RESET) await superuser.query(`alter system reset ${setting}`)
  await reload()
})

/** Changes settings of the server, and waits until a new session has them. */
async function alterSystem(settings: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await superuser.query(`alter system set ${name} = ${pg.escapeLiteral(value)}`)
  await reload()
  for (const [name, value] of Object.entries(settings))
    await expect
      .poll(async () => (await superuser.query(`show ${name}`)).rows[0][name], { interval: 10 })
      .toBe(value)
}

const reload = () => superuser.query('select pg_reload_conf()')

interface Report {
  readonly ok: boolean
  readonly errors: number
  readonly warnings: number
  readonly notes: number
  readonly checks: readonly CheckResult[]
}

/** Runs the doctor with `--json`; expects no secret in its result. */
async function examine(more: Record<string, string> = {}, ...args: string[]) {
  const { code, stdout, stderr } = await runHere(runDoctor, ['--json', ...args], { env: { ...env, ...more } })
  expect(stderr).toBe('')
  for (const secret of secrets) expect(stdout).not.toContain(secret)
  const report = JSON.parse(stdout) as Report
  const found = report.checks.flatMap(({ check, findings }) =>
    findings
      .filter(({ level }) => level !== 'note')
      .map(({ level, message }) => `${check} ${level}: ${message}`),
  )
  return { code, report, found }
}

const statusOf = ({ checks }: Report, name: string) => checks.find(({ check }) => check === name)?.status

test('an installation with nothing to correct: each part was read, and the exit code is 0', async () => {
  const { code, report, found } = await examine(
    {},
    '--disk-free',
    '50GB',
    '--web',
    '2',
    '--worker',
    '2',
    '--strict',
  )
  expect(found).toEqual([])
  expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true })
  const skipped = report.checks.filter(({ status }) => status === 'skipped').map(({ check }) => check)
  expect(skipped).toEqual(['replica', 'tls', 'ports', 'web'])
  expect(report.checks.find(({ check }) => check === 'connections')?.saw).toContain(
    'up to 40 for 2 web and 2 workers',
  )
  const text = await runHere(runDoctor, [], { env })
  expect(text).toMatchObject({ code: 0, stderr: '' })
  expect(text.stdout).toMatch(/^ok +durability +fsync on, synchronous_commit on, full_page_writes on$/m)
  expect(text.stdout).toMatch(/\n0 errors, 0 warnings, \d notes?\n$/)
})

test('settings of Postgres that lose uploads or stop the service are errors, each with what to do', async () => {
  await alterSystem({ fsync: 'off', full_page_writes: 'off', autovacuum: 'off' })
  await superuser.query(`alter role inkling_runtime set synchronous_commit = off`)
  await superuser.query(`alter role inkling_runtime connection limit 15`)
  await superuser.query(`alter role inkling_runtime createdb`)
  await superuser.query(`select pg_create_physical_replication_slot('gone', true)`)
  try {
    const { code, report, found } = await examine()
    expect(code).toBe(1)
    expect(found).toEqual([
      expect.stringContaining(
        'durability error: fsync is off: when the server crashes, accepted uploads are lost',
      ),
      expect.stringContaining('durability error: synchronous_commit is off'),
      expect.stringContaining('durability warning: full_page_writes is off'),
      expect.stringContaining(
        'roles warning: The role of DATABASE_URL, inkling_runtime, may create roles or databases',
      ),
      expect.stringContaining(
        'connections error: The role may open 15 connections, and its processes open up to 20',
      ),
      expect.stringContaining('vacuum error: autovacuum is off'),
      expect.stringContaining('replication slots warning: The replication slot gone is not in use'),
    ])
    const toDo = report.checks.flatMap(({ findings }) => findings.filter(({ level }) => level !== 'note'))
    expect(toDo.filter(({ remedy }) => remedy === undefined)).toEqual([])
    // the SQL of a remedy does what it says
    const remedies = report.checks.find(({ check }) => check === 'durability')?.findings ?? []
    for (const { remedy = '' } of remedies)
      for (const statement of remedy.match(/[a-z][^;:]*(?=;)/g) ?? []) await superuser.query(statement)
    await expect
      .poll(async () => (await examine()).found.filter((one) => one.startsWith('durability')))
      .toEqual([])
  } finally {
    await superuser.query(`select pg_drop_replication_slot('gone')`)
    await superuser.query(`alter role inkling_runtime nocreatedb connection limit -1`)
    await superuser.query(`alter role inkling_runtime reset synchronous_commit`)
    await superuser.query('alter system reset synchronous_commit')
  }
})

describe('web and worker in production', () => {
  test('do not start where accepted uploads would be lost, and say what to do', async () => {
    await alterSystem({ fsync: 'off' })
    const processes = ['web', 'worker'].map((type) => startProcess(type, env))
    for (const process of processes) {
      expect(await process.ended).toMatchObject({ code: 1 })
      expect(process.logged()).toMatchObject([
        { level: 60, msg: expect.stringMatching(/^fsync is off: .*alter system set fsync = on/) },
      ])
    }
  })

  test('start without a warning on the settings of production', async () => {
    const web = await startWeb(env)
    expect((await call(web.url, 'GET', '/healthz')).status).toBe(200)
    const { found, report } = await examine({}, '--url', web.url)
    expect(found).toEqual([])
    expect(statusOf(report, 'web')).toBe('ok')
    await web.end('SIGTERM')
    expect(web.logged().filter(({ level }) => level > 30)).toEqual([]) // the role of web is not the owner
    const stopped = await examine({}, '--url', web.url)
    expect(stopped.code).toBe(1)
    expect(stopped.found).toEqual([
      expect.stringContaining('/healthz does not answer'),
      expect.stringContaining('/readyz'),
    ])
  })
})

test('Redis: what delays datasets is a warning, which fails with --strict; persistence is a note', async () => {
  await redisClient.config('SET', 'maxmemory-policy', 'allkeys-lru')
  try {
    const { code, found, report } = await examine()
    expect(found).toEqual([
      expect.stringMatching(
        /^redis warning: (Redis|Valkey) may evict jobs, which delays datasets: its maxmemory-policy is allkeys-lru$/,
      ),
    ])
    expect(code).toBe(0)
    expect((await examine({}, '--strict')).code).toBe(1)
    const redisFindings = report.checks.find(({ check }) => check === 'redis')?.findings
    expect(redisFindings).toContainEqual(
      expect.objectContaining({ level: 'note', message: expect.stringContaining('keeps nothing on disk') }),
    )
  } finally {
    await redisClient.config('SET', 'maxmemory-policy', 'noeviction')
  }
})

test('stores that do not answer are errors; what depends on Postgres is skipped', async () => {
  const { code, found, report } = await examine({
    DATABASE_URL: 'postgres://me:hunter2hunter2@127.0.0.1:1/none',
    REDIS_URL: 'redis://me:hunter2hunter2@127.0.0.1:1/0',
    CAPTURE_STORE_URL: 's3://none?endpoint=http://127.0.0.1:1',
  })
  expect(code).toBe(1)
  expect(found).toEqual([
    expect.stringContaining('postgres error: Postgres does not accept a connection to the database none'),
    expect.stringContaining('redis error: Redis does not answer'),
    expect.stringContaining('object storage error: Object storage is unavailable (write)'),
  ])
  expect(JSON.stringify(report)).not.toContain('hunter2')
  expect(statusOf(report, 'vacuum')).toBe('skipped')
})

test('variables: what web or worker rejects, by name, without values', async () => {
  const { code, found, report } = await examine({
    PORT: 'hunter2',
    TOKEN_SIGNING_KEYS: 'hunter2',
    WORKER_CONCURRENCY: 'hunter2',
    PUBLIC_URL: '',
    OPS_PASSWORD: 'hunter2hunter2hunter2',
  })
  expect(code).toBe(1)
  expect(found).toEqual([
    expect.stringContaining('environment error: PORT: must be a whole number'),
    expect.stringContaining('environment error: TOKEN_SIGNING_KEYS: must be a JSON Web Key Set'),
    expect.stringContaining('environment error: WORKER_CONCURRENCY: must be a whole number'),
    expect.stringContaining('environment warning: PUBLIC_URL is not set'),
    expect.stringContaining('environment warning: OPS_PASSWORD is deprecated'),
  ])
  expect(JSON.stringify(report)).not.toContain('hunter2')
})

test('keys: one that does not match its public part, and one that stored data needs', async () => {
  const db = openDatabase({ url: postgres.url(DATABASE), poolMax: 1 })
  const { id } = await createSubscription(db, 'Acme Lending')
  const [other] = wrappingKeysOf([makeWrappingJwk()])
  if (!other) throw new Error('No key')
  await createDataKeys(db, other, id)
  const [one, two] = await Promise.all([makeSigningKey(), makeSigningKey()])
  const { found } = await examine({ TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [{ ...one, x: two.x }] }) })
  expect(found).toEqual([
    expect.stringContaining(`signing keys error: The signing key ${one.kid} does not work`),
    expect.stringContaining(`encryption keys error: DATA_ENCRYPTION_KEYS has no key ${other.kid}`),
  ])
  await queryRows(db, sql`delete from data_keys`)
  await queryRows(db, sql`delete from encryption_progress`)
  await db.destroy()
})

test('migrations that are missing', async () => {
  const name = '0033-test-mode'
  await superuser.query('delete from knex_migrations where name = $1', [name])
  try {
    const { code, found } = await examine()
    expect(code).toBe(1)
    expect(found).toEqual([
      expect.stringContaining(`migrations error: The database lacks migrations of this version: ${name}`),
    ])
  } finally {
    await superuser.query('insert into knex_migrations (name, batch, migration_time) values ($1, 1, now())', [
      name,
    ])
  }
})

test('a replica that follows nothing, and a bucket of another database', async () => {
  const store = await openObjectStore({
    ...{
      bucket: objects.bucket,
      prefix: '',
      endpoint: objects.endpoint,
      region: 'us-east-1',
      isWritten: true,
    },
  })
  await store.writeMark('of another database')
  store.close()
  expect((await examine({ DATABASE_REPLICA_URL: postgres.runtimeUrl(DATABASE) })).found).toEqual([
    expect.stringContaining('replica warning: The replica is more than a second behind'),
    expect.stringContaining('object storage warning: The bucket belongs to another database'),
  ])
  env = { ...env, CAPTURE_STORE_URL: '' }
})

describe.skipIf(withoutPgbouncer)('behind PgBouncer', () => {
  let pgbouncer: Pgbouncer
  beforeAll(async () => {
    pgbouncer = await startPgbouncer(postgres.url(DATABASE), { poolSize: 3 })
  })
  afterAll(() => pgbouncer?.[Symbol.asyncDispose]())

  test('a pooler that no variable declares is a warning; the direct address makes it one of the plan', async () => {
    const direct = postgres.runtimeUrl(DATABASE)
    const DATABASE_URL = pgbouncer.pooled(direct)
    const { found } = await examine({ DATABASE_URL, DATABASE_DIRECT_URL: direct })
    expect(found).toEqual([])
    expect((await examine({ DATABASE_URL: direct, DATABASE_DIRECT_URL: DATABASE_URL })).found).toEqual([
      expect.stringContaining('pooler error: DATABASE_DIRECT_URL leads to a pooler'),
    ])
  })
})

describe('TLS', () => {
  /** Lets Postgres show a certificate that its own key has signed, and returns its PEM. */
  async function serveCertificate(name: string, days: number): Promise<string> {
    const made = await makeCertificate(directory, name, days)
    const cluster = join(postgres.directory, 'cluster')
    const { uid, gid } = await stat(cluster)
    for (const file of [made.certificate, made.key]) {
      const copy = join(cluster, basename(file))
      await copyFile(file, copy)
      await chmod(copy, 0o600)
      await chown(copy, uid, gid)
    }
    await alterSystem({
      ssl_cert_file: basename(made.certificate),
      ssl_key_file: basename(made.key),
      ssl: 'on',
    })
    return made.ca
  }

  test('the certificate of Postgres: authority, name, days left, and whether it is verified', async () => {
    const none = await examine({ DATABASE_TLS: 'verified' })
    expect(none.found).toContainEqual(
      expect.stringMatching(/^tls error: DATABASE_URL: the Postgres at .* has no TLS/),
    )

    const authority = await serveCertificate('IP:127.0.0.1', 10)
    const verified = await examine({ DATABASE_TLS: 'verified', DATABASE_CA: authority })
    expect(verified.found).toEqual([expect.stringMatching(/^tls warning: .* expires in (9|10) days/)])
    expect(verified.report.checks.find(({ check }) => check === 'tls')?.saw).toContain('issued by 127.0.0.1')
    const unknown = await examine({ DATABASE_TLS: 'verified' })
    expect(unknown.code).toBe(1)
    expect(unknown.found).toContainEqual(
      expect.stringMatching(/^tls error: .* is not accepted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/),
    )
    const unverified = await examine({ DATABASE_TLS: 'unverified' })
    expect(unverified.found).toContainEqual(
      expect.stringMatching(/^tls warning: .* its certificate is not verified/),
    )

    const other = await serveCertificate('DNS:elsewhere.example', 100)
    const misnamed = await examine({ DATABASE_TLS: 'verified', DATABASE_CA: other })
    expect(misnamed.found).toContainEqual(
      expect.stringMatching(
        /^tls error: .* is not accepted \(ERR_TLS_CERT_ALTNAME_INVALID\): it is for DNS:elsewhere.example/,
      ),
    )
  })
})

test.each([
  [['--web', 'many']],
  [['--url', 'ftp://inkling.example']],
  [['--disk-free', 'much']],
  [['--none']],
  [['extra']],
])('invalid usage, %j: exit code 2', async (args) => {
  const { code, stdout, stderr } = await runHere(runDoctor, args, { env: {} })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^error: /)
})
