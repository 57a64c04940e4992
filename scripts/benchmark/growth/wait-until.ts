import { setTimeout as delay } from 'node:timers/promises'
import { type Db, queryRows } from '../../../db/postgres/database.ts'
import type { Sql } from '../../../db/postgres/sql.ts'

/** Long, because each look costs the measured Postgres processor time. */
const LOOK_EVERY_MS = 200

const TIMEOUT_MS = 120_000

/** Resolves when a statement returns a row. @throws Error after 2 minutes. */
export async function waitUntil(db: Db, statement: Sql): Promise<void> {
  const startedAt = performance.now()
  while ((await queryRows(db, statement)).length === 0) {
    if (performance.now() - startedAt > TIMEOUT_MS)
      throw new Error(`Nothing came of this within 2 minutes: ${statement.text}`)
    await delay(LOOK_EVERY_MS)
  }
}
