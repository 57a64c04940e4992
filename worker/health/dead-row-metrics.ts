import { Gauge, type Registry } from 'prom-client'
import { type DeadRows, readDeadRows } from '../../db/monitoring/dead-rows.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Metrics of the dead rows that Postgres has not removed yet. */
export interface DeadRowMetrics {
  /** @param measured undefined if it is unknown. */
  set(measured: DeadRows | undefined): void
  read(): Promise<DeadRows>
}

/** @param now milliseconds of a monotonic clock. */
export function openDeadRowMetrics(
  db: Db,
  registers: Registry[],
  now: () => number = () => performance.now(),
): DeadRowMetrics {
  const oldest = new Gauge({
    name: 'inkling_postgres_oldest_snapshot_seconds',
    help: 'Seconds since this worker first saw the oldest snapshot that keeps Postgres from removing dead rows: of a transaction, backup, replica or replication slot; 0 if there is none. NaN if Postgres is unavailable',
    registers,
  })
  const rows = new Gauge({
    name: 'inkling_postgres_rows',
    help: 'Rows of the tables that grow with datasets, as Postgres estimates them, by state: live or dead (not removed yet); the same for every worker. Missing if Postgres is unavailable',
    labelNames: ['table', 'state'],
    registers,
  })
  let seen: { readonly snapshot: string; readonly at: number } | undefined

  return {
    read: () => readDeadRows(db),
    set(measured) {
      rows.reset()
      if (!measured) return oldest.set(Number.NaN)
      for (const { table, live, dead } of measured.tables) {
        rows.set({ table, state: 'live' }, live)
        rows.set({ table, state: 'dead' }, dead)
      }
      const { oldestSnapshot: snapshot } = measured
      const at = now()
      if (snapshot === null) seen = undefined
      else if (seen?.snapshot !== snapshot) seen = { snapshot, at }
      oldest.set(seen ? (at - seen.at) / 1_000 : 0)
    },
  }
}
