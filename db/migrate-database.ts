import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import pg from 'pg'
import type { Logger } from 'pino'
import { DEFERRED_MIGRATIONS, isNeeded } from './deferred-migrations.ts'
import * as initial from './migrations/0001-initial.ts'
import * as datasetLife from './migrations/0002-dataset-life.ts'
import * as keyPrefix from './migrations/0003-key-prefix.ts'
import * as scorecardVersions from './migrations/0004-scorecard-versions.ts'
import * as scoreCounts from './migrations/0005-score-counts.ts'
import * as insightsCheckedByClaim from './migrations/0006-insights-checked-by-claim.ts'
import * as accounts from './migrations/0007-accounts.ts'
import * as datasetSearch from './migrations/0008-dataset-search.ts'
import * as scorecardTrials from './migrations/0009-scorecard-trials.ts'
import * as pipelineCounts from './migrations/0010-pipeline-counts.ts'
import * as sessionEnds from './migrations/0011-session-ends.ts'
import * as scorecardNames from './migrations/0012-scorecard-names.ts'
import * as identifierSearch from './migrations/0013-identifier-search.ts'
import * as collections from './migrations/0014-collections.ts'
import * as identity from './migrations/0015-identity.ts'
import * as auditTrail from './migrations/0016-audit-trail.ts'
import * as scorecardSuspensions from './migrations/0017-scorecard-suspensions.ts'
import * as factors from './migrations/0018-factors.ts'
import * as sso from './migrations/0019-sso.ts'
import * as encryption from './migrations/0020-encryption.ts'
import * as limits from './migrations/0021-limits.ts'
import * as pruning from './migrations/0022-pruning.ts'
import * as privacy from './migrations/0023-privacy.ts'
import * as operators from './migrations/0024-operators.ts'
import * as collectionInfoSaves from './migrations/0025-collection-info-saves.ts'
import * as opaqueIds from './migrations/0026-opaque-ids.ts'
import * as storage from './migrations/0027-storage.ts'
import * as pruningBounds from './migrations/0028-pruning-bounds.ts'
import * as captureStore from './migrations/0030-capture-store.ts'
import * as keyScopes from './migrations/0031-key-scopes.ts'
import * as events from './migrations/0032-events.ts'
import * as testMode from './migrations/0033-test-mode.ts'
import {
  connectionConfig,
  type DatabaseOptions,
  type Db,
  openDatabase,
  queryRows,
} from './postgres/database.ts'
import { keepsSession } from './postgres/pooler.ts'
import { sql } from './postgres/sql.ts'
import { migrateQueue } from './queue/migrate-queue.ts'
import { QUEUE_SCHEMA } from './queue/postgres-pool.ts'
import { prepareRuntimeRole, type RuntimeRole } from './roles/prepare-runtime-role.ts'

/** All but the deferred ones. An explicit list: Knex would record file names with their extension, and read a folder that a bundler may omit. */
const MIGRATIONS: Record<string, Knex.Migration> = {
  '0001-initial': initial,
  '0002-dataset-life': datasetLife,
  '0003-key-prefix': keyPrefix,
  '0004-scorecard-versions': scorecardVersions,
  '0005-score-counts': scoreCounts,
  '0006-insights-checked-by-claim': insightsCheckedByClaim,
  '0007-accounts': accounts,
  '0008-dataset-search': datasetSearch,
  '0009-scorecard-trials': scorecardTrials,
  '0010-pipeline-counts': pipelineCounts,
  '0011-session-ends': sessionEnds,
  '0012-scorecard-names': scorecardNames,
  '0013-identifier-search': identifierSearch,
  '0014-collections': collections,
  '0015-identity': identity,
  '0016-audit-trail': auditTrail,
  '0017-scorecard-suspensions': scorecardSuspensions,
  '0018-factors': factors,
  '0019-sso': sso,
  '0020-encryption': encryption,
  '0021-limits': limits,
  '0022-pruning': pruning,
  '0023-privacy': privacy,
  '0024-operators': operators,
  '0025-collection-info-saves': collectionInfoSaves,
  '0026-opaque-ids': opaqueIds,
  '0027-storage': storage,
  '0028-pruning-bounds': pruningBounds,
  '0030-capture-store': captureStore,
  '0031-key-scopes': keyScopes,
  '0032-events': events,
  '0033-test-mode': testMode,
}

/** Migrations of a later version are allowed: versions run side by side, and a version may be rolled back. */
const migratorOf = (migrations: Readonly<Record<string, Knex.Migration>>): Knex.MigratorConfig => ({
  migrationSource: {
    getMigrations: async () => Object.keys(migrations),
    getMigrationName: (name: string) => name,
    getMigration: async (name: string) => {
      const migration = migrations[name]
      if (!migration) throw new Error(`There is no migration ${name}`)
      return migration
    },
  },
  disableMigrationsListValidation: true,
})

/** Spells INKL; any number that no other application on this database uses. */
const ADVISORY_LOCK = 0x494e4b4c

/** Schemas with tables of this service. */
const SCHEMAS = ['public', QUEUE_SCHEMA]

/**
 * Migrates the tables, and the queue's own schema, to the newest version, then grants the runtime role what it needs; a second call
 * changes nothing. Deferred migrations are left to a later call while a process of an earlier version is connected.
 *
 * Concurrent calls wait for each other by an advisory lock, which ends with its connection. Knex's own lock is a row that a
 * killed migration leaves behind, so it is freed once the advisory lock is held.
 *
 * @throws PoolerError through a pooler that would leave the lock to another connection.
 * @param options the connection of the role that owns the tables.
 * @param runtime the connection of web and worker, if they have a role of their own.
 * @returns the names of the applied migrations, and of the deferred ones that were left.
 */
export async function migrateDatabase(
  options: DatabaseOptions,
  runtime?: DatabaseOptions,
): Promise<{ applied: string[]; left?: string[]; runtimeRole?: RuntimeRole }> {
  const lock = new pg.Client(connectionConfig(options))
  await lock.connect()
  const db = openDatabase(options, { unlimited: true })
  try {
    if (!(await keepsSession(lock, options))) throw new PoolerError()
    await takeLock(lock)
    await db.migrate.forceFreeMigrationsLock(migratorOf(MIGRATIONS))
    const applied = await applyPending(db, MIGRATIONS)
    const { left, ...deferred } = await applyDeferred(db)
    applied.push(...deferred.applied)
    await migrateQueue(lock)
    const outcome = { applied, ...(left.length > 0 && { left }) }
    if (!runtime) return outcome
    return { ...outcome, runtimeRole: await prepareRuntimeRole(lock, runtime, SCHEMAS) }
  } finally {
    await db.destroy()
    await lock.end()
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

/** Polls, since an index that is built concurrently waits for every running statement, which includes one that waits for a lock. */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [ADVISORY_LOCK])
    if (rows[0].taken) return
    await delay(LOCK_PAUSE_MS)
  }
}

const DEADLOCK = '40P01'
const ATTEMPTS = 5

/**
 * Applies pending migrations in one transaction, or one by one if one of them cannot run in a transaction. Running processes may
 * lock tables in another order than a migration, so deadlocks are retried.
 */
async function applyPending(db: Db, migrations: Readonly<Record<string, Knex.Migration>>): Promise<string[]> {
  const migrator = migratorOf(migrations)
  const pending = await listPending(db, migrator)
  for (let attempt = 1; ; attempt++)
    try {
      await db.migrate.latest(migrator)
      return pending
    } catch (error) {
      const isDeadlock = error instanceof Error && 'code' in error && error.code === DEADLOCK
      if (!isDeadlock || attempt === ATTEMPTS) throw error
    }
}

async function listPending(db: Db, migrator: Knex.MigratorConfig): Promise<string[]> {
  const [, pending]: [unknown[], string[]] = await db.migrate.list(migrator)
  return pending
}

/** Applies the deferred migrations up to the first that a process of an earlier version needs. */
async function applyDeferred(db: Db): Promise<{ applied: string[]; left: string[] }> {
  const pending = await listPending(db, migratorOf(DEFERRED_MIGRATIONS))
  const applied: string[] = []
  for (const name of pending) {
    const migration = DEFERRED_MIGRATIONS[name]
    if (!migration || (await isNeeded(db, name))) break
    applied.push(...(await applyPending(db, { [name]: migration })))
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

/** @throws an error of code 42P01 if the database has none of the tables. */
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
    // Knex's own list creates its tables where they are missing, which this process may not
    const applied = await queryRows<{ name: string }>(db, sql`select name from knex_migrations`)
    const names = new Set(applied.map(({ name }) => name))
    if (Object.keys(MIGRATIONS).every((name) => names.has(name))) return
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
