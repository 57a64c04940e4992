import { setTimeout as delay } from 'node:timers/promises'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Records the events of a subscription from the commit on. @returns whether they were not recorded before. */
export async function startRecording(trx: Db, subscriptionId: number): Promise<boolean> {
  const started = await queryRows(
    trx,
    sql`insert into event_recording (subscription_id) values (${subscriptionId})
        on conflict do nothing returning 1`,
  )
  return started.length > 0
}

/** Statements end within 15 s, and transactions soon after. */
const MAX_WAIT_MS = 20_000
const PAUSE_MS = 20

/**
 * Resolves when every transaction that may not have seen the start of a recording has ended: what is committed afterwards is recorded. Call it
 * after the commit, before the response says that events are recorded.
 *
 * A statement locks its tables before it takes its snapshot, so those that were begun before the commit are among the holders of locks now. As
 * CREATE INDEX CONCURRENTLY does, this waits for them by their virtual transaction ids and blocks nobody.
 */
export async function untilRecording(db: Db): Promise<void> {
  const writers = async (among: readonly string[] | null) =>
    (
      await queryRows<{ id: string }>(
        db,
        sql`select distinct virtualtransaction as id from pg_locks
            where relation = 'datasets'::regclass and mode = 'RowExclusiveLock' and pid <> pg_backend_pid()
              and database = (select oid from pg_database where datname = current_database())
              and (${among === null} or virtualtransaction = any(${among ?? []}::text[]))`,
      )
    ).map(({ id }) => id)
  const endsAt = performance.now() + MAX_WAIT_MS
  let left = await writers(null)
  while (left.length > 0 && performance.now() < endsAt) {
    await delay(PAUSE_MS)
    left = await writers(left)
  }
}
