import { readdirSync, readFileSync } from 'node:fs'
import { type Db, queryRows } from '../../db/postgres/database.ts'
import { sql } from '../../db/postgres/sql.ts'

/** Returns the process id of the Postgres server behind a connection: the parent of each of its processes. NaN without /proc. */
export async function findPostmaster(db: Db): Promise<number> {
  const [row] = await queryRows<{ pid: number }>(db, sql`select pg_backend_pid() as pid`)
  return parentOf(String(row?.pid))
}

/**
 * Returns the processor time of all processes of a Postgres server in milliseconds, including those that have ended; NaN without
 * /proc.
 */
export function readPostgresCpuMs(postmaster: number): number {
  if (Number.isNaN(postmaster)) return Number.NaN
  for (;;) {
    const ended = readEndedMs(postmaster)
    const running = readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && (Number(pid) === postmaster || parentOf(pid) === postmaster))
      .map((pid) => readProcessCpuMs(Number(pid)))
      .filter(Number.isFinite)
    // otherwise a process ended meanwhile, and is in one of the sums or in none
    if (Object.is(readEndedMs(postmaster), ended)) return running.reduce((sum, ms) => sum + ms, ended)
  }
}

/** Processes that the server has started and that have ended. */
function readEndedMs(postmaster: number): number {
  const [user, system] = readStat(String(postmaster))?.slice(13, 15) ?? []
  return (Number(user) + Number(system)) * TICK_MS
}

const parentOf = (pid: string) => Number(readStat(pid)?.[1])

/** Returns the processor time of a process with a single thread, such as a connection's; NaN if it has ended. */
export function readProcessCpuMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  } catch {
    const [user, system] = readStat(String(pid))?.slice(11, 13) ?? []
    return (Number(user) + Number(system)) * TICK_MS
  }
}

/** On every Linux that Node supports. */
const TICK_MS = 10

/** The fields of /proc/PID/stat after the name: state, parent, …; undefined if the process has ended. */
function readStat(pid: string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
