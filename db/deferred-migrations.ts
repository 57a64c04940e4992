import type { Knex } from 'knex'
import { PROCESS_NAMES } from './postgres/application-name.ts'
import { type Db, queryRows } from './postgres/database.ts'
import { sql } from './postgres/sql.ts'

/** Migrations by name. They are imported when they are applied: web and worker only compare the names with those in the database. */
export type Migrations = Readonly<Record<string, () => Promise<Knex.Migration>>>

/**
 * Migrations that remove what processes of an earlier version use: columns, indexes, triggers. They run after all others, in this order, once no
 * such process is connected. This version neither uses what they remove nor requires them.
 */
export const DEFERRED_MIGRATIONS: Migrations = {
  '0040-identifier-hashes': () => import('./migrations/0040-identifier-hashes.ts'),
}

/** Whether a process is connected to this database whose version is older than a migration, by the name of its sessions. */
export async function isNeeded(db: Db, migration: string): Promise<boolean> {
  const number = migration.slice(0, 4)
  const sessions = await queryRows(
    db,
    sql`select from pg_stat_activity
        where datname = current_database() and application_name ~ ${PROCESS_NAMES}
          and application_name collate "C" < ${`inkling ${number}`} limit 1`,
  )
  return sessions.length > 0
}
