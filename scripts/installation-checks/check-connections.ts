import { type ConnectionUse, countConnections } from '../../db/checks/count-connections.ts'
import type { Finding } from '../../db/checks/finding.ts'
import { workerConnections } from '../../db/queue/postgres-backend.ts'
import { PRODUCER_CONNECTIONS } from '../../db/queue/producer.ts'
import { VIEW_CONNECTIONS } from '../../db/queue/queue-view.ts'
import type { Check } from './check.ts'
import type { DoctorOptions, Variables } from './installation.ts'

/** Compares the connections that all processes can open with those that Postgres accepts. */
export const checkConnections: Check = {
  name: 'connections',
  async run({ postgres, variables, options }) {
    const use = await countConnections(await postgres())
    const isPooled = variables.DATABASE_DIRECT_URL !== undefined
    const planned = planConnections(variables, options)
    const needed = planned.queue + (isPooled ? 0 : planned.tables)
    const saw = `up to ${needed} for ${describeProcesses(variables, options)}; ${use.max} accepted, ${use.reserved} reserved, ${use.others} used by others`
    const findings = judgeConnections(needed, use)
    if (isPooled)
      findings.push({
        level: 'note',
        message: `DATABASE_URL leads to a pooler, which must accept ${planned.tables} connections (max_client_conn) and open fewer to Postgres (default_pool_size)`,
      })
    return { saw, findings }
  },
}

/** Connections of all processes at most: of their pools, and of a queue in Postgres. */
export function planConnections(
  variables: Variables,
  { web, worker }: DoctorOptions,
): { tables: number; queue: number } {
  const { DATABASE_POOL_MAX: pool = 10, WEB_CONCURRENCY = 1, WORKER_CONCURRENCY = 4, REDIS_URL } = variables
  const webs = web * WEB_CONCURRENCY
  const queue =
    webs * (PRODUCER_CONNECTIONS + VIEW_CONNECTIONS) +
    worker * (PRODUCER_CONNECTIONS + workerConnections(WORKER_CONCURRENCY))
  return { tables: (webs + worker) * pool, queue: REDIS_URL === undefined ? queue : 0 }
}

/** @param needed connections of all processes at most. */
export function judgeConnections(needed: number, use: ConnectionUse): Finding[] {
  const { max, reserved, others, roleLimit, databaseLimit } = use
  const free = max - reserved - others
  const limits = [
    { limit: free, name: `Postgres has ${free} of ${max} connections for this service` },
    { limit: roleLimit, name: `The role may open ${roleLimit} connections` },
    { limit: databaseLimit, name: `The database accepts ${databaseLimit} connections` },
  ]
  const remedy = `Lower DATABASE_POOL_MAX or the number of processes, raise max_connections (alter system set max_connections = ${2 * needed + reserved + others}; then restart Postgres) or the limit of the role or database, or put PgBouncer in between`
  return limits.flatMap(({ limit, name }): Finding[] => {
    if (limit === null) return []
    if (needed > limit)
      return [
        {
          level: 'error',
          message: `${name}, and its processes open up to ${needed}: under load, uploads are answered 503`,
          remedy,
        },
      ]
    if (needed > 0.8 * limit)
      return [
        {
          level: 'warning',
          message: `${name}, and its processes open up to ${needed}: few are left for psql, backups and release`,
          remedy,
        },
      ]
    if (2 * needed > limit)
      return [
        {
          level: 'note',
          message: `${name}, and its processes open up to ${needed}: while a deployment runs old and new processes at once, they can open more`,
        },
      ]
    return []
  })
}

function describeProcesses({ WEB_CONCURRENCY = 1 }: Variables, { web, worker }: DoctorOptions): string {
  const each = WEB_CONCURRENCY > 1 ? ` of ${WEB_CONCURRENCY} processes` : ''
  return `${web} web${each} and ${worker} worker${worker === 1 ? '' : 's'}`
}
