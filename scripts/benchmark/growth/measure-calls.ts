import { type Db, openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import { findPostmaster, readPostgresCpuMs, readProcessCpuMs } from '../postgres-cpu.ts'
import type { Samples } from '../samples.ts'
import { noteTimes } from './note-times.ts'

/** Calls functions of web and worker on a connection of its own, whose processor time and pages are known exactly. */
export interface CallMeter {
  readonly db: Db
  /** Calls a function repeatedly and adds what one call costs: this connection, or `all` processes of the server. */
  measure(
    name: string,
    calls: number,
    call: (n: number) => Promise<unknown>,
    options?: { all: boolean },
  ): Promise<void>
  close(): Promise<void>
}

export async function openCallMeter(url: string, samples: Samples): Promise<CallMeter> {
  const db = openDatabase({ url, poolMax: 1 })
  const [backend] = await queryRows<{ pid: number }>(db, sql`select pg_backend_pid() as pid`)
  const pid = backend?.pid ?? 0
  const postmaster = await findPostmaster(db)
  return {
    db,
    async measure(name, calls, call, { all } = { all: false }) {
      const readCpuMs = () => (all ? readPostgresCpuMs(postmaster) : readProcessCpuMs(pid))
      const times: number[] = []
      const pagesBefore = await readPages(db)
      const cpuBefore = readCpuMs()
      for (let n = 0; n < calls; n++) {
        const startedAt = performance.now()
        await call(n)
        times.push(performance.now() - startedAt)
      }
      samples.add(`${name}: postgresUs`, ((readCpuMs() - cpuBefore) / calls) * 1_000)
      samples.add(`${name}: pages`, ((await readPages(db)) - pagesBefore) / calls)
      noteTimes(samples, name, times)
    },
    close: () => db.destroy(),
  }
}

/** Returns the pages that all statements of this database have touched so far, those of this connection included. */
async function readPages(db: Db): Promise<number> {
  await queryRows(db, sql`select pg_stat_force_next_flush()`)
  return readPagesTouched(db)
}

/** As far as connections have reported them: those that are idle report after 10 s, those that end at once. */
export async function readPagesTouched(db: Db): Promise<number> {
  const [row] = await queryRows<{ pages: number }>(
    db,
    sql`select blks_hit + blks_read as pages from pg_stat_database where datname = current_database()`,
  )
  return row?.pages ?? Number.NaN
}
