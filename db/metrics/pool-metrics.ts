import { Gauge, type Registry } from 'prom-client'
import type { Db } from '../postgres/database.ts'

/** The counts of Knex's pool. */
interface Pool {
  numUsed(): number
  numFree(): number
  numPendingAcquires(): number
  readonly max: number
}

/** Adds the use of connection pools, by the name of each. */
export function addPoolMetrics(registry: Registry, databases: Readonly<Record<string, Db>>): void {
  const registers = [registry]
  const pools = Object.entries(databases).map(([pool, db]) => [pool, db.client.pool as Pool] as const)
  new Gauge({
    name: 'inkling_postgres_pool_connections',
    help: 'Connections of this process to Postgres by pool (primary or replica) and state: in_use or idle',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, counts] of pools) {
        this.set({ pool, state: 'in_use' }, counts.numUsed())
        this.set({ pool, state: 'idle' }, counts.numFree())
      }
    },
  })
  new Gauge({
    name: 'inkling_postgres_pool_waiting',
    help: 'Statements and transactions that wait for a connection, by pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, counts] of pools) this.set({ pool }, counts.numPendingAcquires())
    },
  })
  new Gauge({
    name: 'inkling_postgres_pool_limit',
    help: 'Connections that a pool may open: DATABASE_POOL_MAX for each process',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { max }] of pools) this.set({ pool }, max)
    },
  })
}
