import { type Db, queryRows } from './database.ts'
import { sql } from './sql.ts'

/**
 * Lets one process at a time do a kind of maintenance: the turn is the caller's if nobody has begun the task in the last `seconds`.
 *
 * A process that ends within its turn leaves the rest to the next turn. Work that lasts longer than a turn may overlap with the next one, so it
 * has to be safe in two processes.
 */
export async function takeTurn(db: Db, task: string, seconds: number): Promise<boolean> {
  const taken = await queryRows(
    db,
    sql`insert into maintenance_turns as t (task, begun_at) values (${task}, now())
        on conflict (task) do update set begun_at = excluded.begun_at
        where t.begun_at <= excluded.begun_at - make_interval(secs => ${seconds}::double precision)
        returning 1`,
  )
  return taken.length > 0
}
