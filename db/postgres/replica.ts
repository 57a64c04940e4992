import { type DatabaseOptions, type Db, openDatabase, queryRows } from './database.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Interval of `probe`. */
export const REPLICA_PROBE_MS = 200

/** A replica that is further behind is not read. */
const MAX_LAG_MS = 1_000

/** Positions of the primary that are remembered: those of twice the largest lag. */
const MAX_POSITIONS = 10

/** A copy of the database that follows the primary by streaming. */
export interface Replica {
  readonly db: Db
  /** Whether it had, a second ago at most, all that the primary had committed. */
  isCurrent(): boolean
  /** Compares its position with the primary's. Call it every `REPLICA_PROBE_MS`. @throws if either is unavailable. */
  probe(): Promise<void>
  /** Ends reading from it until the next successful probe. */
  leave(): void
  close(): Promise<void>
}

/**
 * Opens a replica, which is not current before its first probe. The caller closes it.
 *
 * @param onChange is called when a probe finds that it became current, or is no longer.
 */
export function openReplica(
  primary: Db,
  options: DatabaseOptions,
  onChange: (isCurrent: boolean) => void,
): Replica {
  const db = openDatabase(options)
  /** Of the primary, oldest first. */
  let positions: { readonly bytes: bigint; readonly at: number }[] = []
  let currentAt = Number.NEGATIVE_INFINITY
  let wasCurrent: boolean | undefined
  const isCurrent = () => performance.now() - currentAt < MAX_LAG_MS

  return {
    db,
    isCurrent,
    async probe() {
      const at = performance.now()
      const written = await findPosition(primary, WRITTEN)
      positions = [...positions, { bytes: written.bytes, at }].slice(-MAX_POSITIONS)
      const replayed = await findPosition(db, REPLAYED)
      const reached = positions.findLast(({ bytes }) => bytes <= replayed.bytes)
      const follows = written.system === replayed.system
      currentAt = (follows ? reached?.at : undefined) ?? Number.NEGATIVE_INFINITY
      if (isCurrent() !== wasCurrent) onChange(isCurrent())
      wasCurrent = isCurrent()
    },
    leave() {
      currentAt = Number.NEGATIVE_INFINITY
    },
    close: () => db.destroy(),
  }
}

/** Commits are visible once they are written to disk. */
const WRITTEN = raw('pg_current_wal_flush_lsn()')
/** 0 where it does not follow a primary, as after its promotion. */
const REPLAYED = raw(
  `case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn(), '0/0') else '0/0' end`,
)

/** Returns a position in the write-ahead log as the number of its bytes, and the server that began it. */
async function findPosition(db: Db, position: Sql): Promise<{ system: string; bytes: bigint }> {
  const [row] = await queryRows<{ system: string; bytes: string }>(
    db,
    sql`select system_identifier::text as system, (${position} - '0/0'::pg_lsn)::text as bytes from pg_control_system()`,
  )
  return { system: row?.system ?? '', bytes: BigInt(row?.bytes ?? 0) }
}
