import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import pg from 'pg'
import type { Logger } from 'pino'
import { DEFERRED_MIGRATIONS, isNeeded, type Migrations } from './deferred-migrations.ts'
import { RELEASE_NAME } from './postgres/application-name.ts'
import { describeBlocker } from './postgres/blockers.ts'
import {
  connectionConfig,
  type DatabaseOptions,
  type Db,
  openDatabase,
  queryRows,
} from './postgres/database.ts'
import { keepsSession } from './postgres/pooler.ts'
import { isLockError, retryLocks } from './postgres/retry-locks.ts'
import { sql } from './postgres/sql.ts'
import { migrateQueue } from './queue/migrate-queue.ts'
import { QUEUE_SCHEMA } from './queue/postgres-pool.ts'
import { prepareRuntimeRole, type RuntimeRole } from './roles/prepare-runtime-role.ts'
import { type LockWatch, watchLocks } from './watch-locks.ts'

/** All but the deferred ones. An explicit list: Knex would record file names with their extension, and read a folder that a bundler may omit. */
const MIGRATIONS: Migrations = {
  '0001-initial': () => import('./migrations/0001-initial.ts'),
  '0002-dataset-life': () => import('./migrations/0002-dataset-life.ts'),
  '0003-key-prefix': () => import('./migrations/0003-key-prefix.ts'),
  '0004-scorecard-versions': () => import('./migrations/0004-scorecard-versions.ts'),
  '0005-score-counts': () => import('./migrations/0005-score-counts.ts'),
  '0006-insights-checked-by-claim': () => import('./migrations/0006-insights-checked-by-claim.ts'),
  '0007-accounts': () => import('./migrations/0007-accounts.ts'),
  '0008-dataset-search': () => import('./migrations/0008-dataset-search.ts'),
  '0009-scorecard-trials': () => import('./migrations/0009-scorecard-trials.ts'),
  '0010-pipeline-counts': () => import('./migrations/0010-pipeline-counts.ts'),
  '0011-session-ends': () => import('./migrations/0011-session-ends.ts'),
  '0012-scorecard-names': () => import('./migrations/0012-scorecard-names.ts'),
  '0013-identifier-search': () => import('./migrations/0013-identifier-search.ts'),
  '0014-collections': () => import('./migrations/0014-collections.ts'),
  '0015-identity': () => import('./migrations/0015-identity.ts'),
  '0016-audit-trail': () => import('./migrations/0016-audit-trail.ts'),
  '0017-scorecard-suspensions': () => import('./migrations/0017-scorecard-suspensions.ts'),
  '0018-factors': () => import('./migrations/0018-factors.ts'),
  '0019-sso': () => import('./migrations/0019-sso.ts'),
  '0020-encryption': () => import('./migrations/0020-encryption.ts'),
  '0021-limits': () => import('./migrations/0021-limits.ts'),
  '0022-pruning': () => import('./migrations/0022-pruning.ts'),
  '0023-privacy': () => import('./migrations/0023-privacy.ts'),
  '0024-operators': () => import('./migrations/0024-operators.ts'),
  '0025-collection-info-saves': () => import('./migrations/0025-collection-info-saves.ts'),
  '0026-opaque-ids': () => import('./migrations/0026-opaque-ids.ts'),
  '0027-storage': () => import('./migrations/0027-storage.ts'),
  '0028-pruning-bounds': () => import('./migrations/0028-pruning-bounds.ts'),
  '0030-capture-store': () => import('./migrations/0030-capture-store.ts'),
  '0031-key-scopes': () => import('./migrations/0031-key-scopes.ts'),
  '0032-events': () => import('./migrations/0032-events.ts'),
  '0033-test-mode': () => import('./migrations/0033-test-mode.ts'),
  '0043-daily-alerts': () => import('./migrations/0043-daily-alerts.ts'),
}

/** Migrations of a later version are allowed: versions run side by side, and a version may be rolled back. */
const migratorOf = (migrations: Migrations): Knex.MigratorConfig => ({
  migrationSource: {
    getMigrations: async () => Object.keys(migrations),
    getMigrationName: (name: string) => name,
    getMigration: async (name: string) => {
      const load = migrations[name]
      if (!load) throw new Error(`There is no migration ${name}`)
      return load()
    },
  },
  disableMigrationsListValidation: true,
})

/** Spells INKL; any number that no other application on this database uses. */
const ADVISORY_LOCK = 0x494e4b4c

/** Schemas with tables of this service. */
const SCHEMAS = ['public', QUEUE_SCHEMA]

/** Bounds of a release, and where it reports to. */
export interface ReleaseOptions {
  /** Time that a statement waits for a lock; meanwhile, other statements on the table wait behind it. */
  readonly lockMs?: number
  /** Time after which the release ends with an error if others hold locks that a migration needs. */
  readonly giveUpMs?: number
  /** Receives a sentence for an operator: what the release waits for. */
  readonly report?: (line: string) => void
}

const LOCK_MS = 2_000
const GIVE_UP_MS = 240_000

/**
 * Migrates the tables, and the queue's own schema, to the newest version, then grants the runtime role what it needs; a second call
 * changes nothing. Deferred migrations are left to a later call while a process of an earlier version is connected.
 *
 * Each migration is a transaction of its own, or a list of steps that are safe to repeat, so a call that failed or was killed continues where the last one ended.
 * A migration that has waited for a lock for 2 s releases its own locks and tries again, for up to 4 minutes; uploads wait for 2 s at most.
 *
 * Concurrent calls wait for each other by an advisory lock, which ends with its connection. Knex's own lock is a row that a
 * killed migration leaves behind, so it is freed once the advisory lock is held.
 *
 * @throws PoolerError through a pooler that would leave the lock to another connection; BlockedError if others hold a lock for too long.
 * @param options the connection of the role that owns the tables.
 * @param runtime the connection of web and worker, if they have a role of their own.
 * @returns the names of the applied migrations, and of the deferred ones that were left.
 */
export async function migrateDatabase(
  options: DatabaseOptions,
  runtime?: DatabaseOptions,
  { lockMs = LOCK_MS, giveUpMs = GIVE_UP_MS, report = () => undefined }: ReleaseOptions = {},
): Promise<{ applied: string[]; left?: string[]; runtimeRole?: RuntimeRole }> {
  const lock = new pg.Client({ ...connectionConfig(options), application_name: RELEASE_NAME })
  await lock.connect()
  const db = openDatabase(options, { unlimited: true, lockMs })
  try {
    if (!(await keepsSession(lock, options))) throw new PoolerError()
    await takeLock(lock, report)
    await lock.query(`set lock_timeout = ${lockMs}`)
    await using watch = watchLocks(options, lockMs / 4, report)
    const run: RunStep = (name, step) =>
      retryLocks(step, giveUpMs).catch((error) => {
        throw isLockError(error) ? new BlockedError(name, watch, { cause: error }) : error
      })
    await db.migrate.forceFreeMigrationsLock(migratorOf(MIGRATIONS))
    const applied = await applyPending(db, MIGRATIONS, run)
    const { left, ...deferred } = await applyDeferred(db, run)
    applied.push(...deferred.applied)
    await run('the queue in Postgres', () => migrateQueue(lock))
    const outcome = { applied, ...(left.length > 0 && { left }) }
    if (!runtime) return outcome
    const runtimeRole = await run('the privileges', () => prepareRuntimeRole(lock, runtime, SCHEMAS))
    return { ...outcome, runtimeRole }
  } finally {
    await db.destroy()
    await lock.end()
  }
}

/** Runs a named step of the release, and repeats it while others hold a lock that it needs. */
type RunStep = <T>(name: string, step: () => Promise<T>) => Promise<T>

/** Others held a lock for too long. The changes of the step are undone, or the next call does not repeat them. */
export class BlockedError extends Error {
  override name = 'BlockedError'

  constructor(step: string, { blockers }: Pick<LockWatch, 'blockers'>, options?: ErrorOptions) {
    const who = blockers.map(describeBlocker).join(', ')
    super(`${step} needs a lock that others hold${who && `: ${who}`}`, options)
  }
}

/** The address is of a pooler in transaction mode. */
export class PoolerError extends Error {
  override name = 'PoolerError'
  override message =
    'migrations need a session of Postgres, and this address leads to a pooler in transaction mode'
}

/** Pause between two attempts. */
const LOCK_PAUSE_MS = 100

/** Time after which a wait for another release process is reported, first and again. */
const REPORT_MS = { first: 1_000, again: 30_000 }

/** Polls, since an index that is built concurrently waits for every running statement, which includes one that waits for a lock. */
async function takeLock(client: pg.Client, report: (line: string) => void): Promise<void> {
  let reportAt = performance.now() + REPORT_MS.first
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [ADVISORY_LOCK])
    if (rows[0].taken) return
    if (performance.now() > reportAt) {
      reportAt = performance.now() + REPORT_MS.again
      report(`Waits for another release process${await describeHolder(client)}`)
    }
    await delay(LOCK_PAUSE_MS)
  }
}

async function describeHolder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_locks join pg_database d on d.oid = database
     where locktype = 'advisory' and classid = 0 and objid = $1 and granted and d.datname = current_database()`,
    [ADVISORY_LOCK],
  )
  return rows.map(({ pid }) => `, process ${pid} of Postgres`).join('')
}

/** Applies pending migrations one by one, so that each holds its locks for its own time only. */
async function applyPending(db: Db, migrations: Migrations, run: RunStep): Promise<string[]> {
  const migrator = migratorOf(migrations)
  const pending = await listPending(db, migrator)
  for (const name of pending) await run(name, () => db.migrate.up({ ...migrator, name }))
  return pending
}

async function listPending(db: Db, migrator: Knex.MigratorConfig): Promise<string[]> {
  const [, pending]: [unknown[], string[]] = await db.migrate.list(migrator)
  return pending
}

/** Applies the deferred migrations up to the first that a process of an earlier version needs. */
async function applyDeferred(db: Db, run: RunStep): Promise<{ applied: string[]; left: string[] }> {
  const pending = await listPending(db, migratorOf(DEFERRED_MIGRATIONS))
  const applied: string[] = []
  for (const name of pending) {
    const migration = DEFERRED_MIGRATIONS[name]
    if (!migration || (await isNeeded(db, name))) break
    applied.push(...(await applyPending(db, { [name]: migration }, run)))
  }
  return { applied, left: pending.slice(applied.length) }
}

/** Migrations of a database, by what is left to do. */
export interface MigrationState {
  /** Of this version, without the deferred ones: web and worker do not start before they have run. */
  readonly pending: readonly string[]
  /** Of this version, deferred, and not applied. */
  readonly deferred: readonly string[]
  /** Applied by a later version; this one works with them. */
  readonly later: readonly string[]
}

/**
 * Unlike Knex's own list, it creates no tables where they are missing, which web and worker may not.
 *
 * @throws an error of code 42P01 if the database has none of the tables.
 */
export async function readMigrations(db: Db): Promise<MigrationState> {
  const rows = await queryRows<{ name: string }>(db, sql`select name from knex_migrations order by name`)
  const applied = new Set(rows.map(({ name }) => name))
  const [own, deferred] = [Object.keys(MIGRATIONS), Object.keys(DEFERRED_MIGRATIONS)]
  return {
    pending: own.filter((name) => !applied.has(name)),
    deferred: deferred.filter((name) => !applied.has(name)),
    later: [...applied].filter((name) => !own.includes(name) && !deferred.includes(name)),
  }
}

/**
 * Exits the process unless every migration of this version has run that is not deferred: on older tables it would fail in unexpected places. Later
 * migrations only add, so this version works with them.
 *
 * Continues with a warning if Postgres is unavailable: it may be back before it is needed.
 */
export async function requireMigrated(db: Db, log: Logger): Promise<void> {
  try {
    const { pending } = await readMigrations(db)
    if (pending.length === 0) return
  } catch (err) {
    const code = err instanceof pg.DatabaseError ? err.code : undefined
    if (code === INSUFFICIENT_PRIVILEGE) {
      log.fatal(
        'The role of DATABASE_URL may not read the tables: run the release process with DATABASE_OWNER_URL',
      )
      process.exit(1)
    }
    if (code !== UNDEFINED_TABLE) {
      log.warn({ err }, 'could not check whether the database is migrated')
      return
    }
  }
  log.fatal('The database is not migrated: run the release process, scripts/node db/migrate.ts')
  process.exit(1)
}

const INSUFFICIENT_PRIVILEGE = '42501'
const UNDEFINED_TABLE = '42P01'
