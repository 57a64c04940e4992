import type { Finding } from '../../db/checks/finding.ts'
import { readVacuumState, type VacuumState } from '../../db/checks/vacuum-state.ts'
import { readDeadRows } from '../../db/monitoring/dead-rows.ts'
import type { Check } from './check.ts'

/** A table with fewer dead rows is small. */
const MANY_DEAD = 100_000

/** Postgres vacuums by force from 200 million on, and stops accepting changes 3 million before 2.1 billion. */
const WARNING_IDS = 1_000_000_000
const ERROR_IDS = 1_800_000_000

/** Checks that Postgres removes old versions of rows: long transactions, dead rows, transaction ids. */
export const checkVacuum: Check = {
  name: 'vacuum',
  async run({ tables }) {
    const db = await tables()
    const [state, { tables: estimates, oldestSnapshot }] = await Promise.all([
      readVacuumState(db),
      readDeadRows(db),
    ])
    const findings = judgeVacuum(state)
    for (const { table, live, dead } of estimates)
      if (dead > MANY_DEAD && dead > live / 2)
        findings.push({
          level: 'warning',
          message: `The table ${table} has ${dead} dead rows beside ${live} live ones: reads and writes of it become slower`,
          remedy: `As its owner, once no long transaction is left: vacuum (analyze) ${table};`,
        })
    const dead = estimates.reduce((sum, table) => sum + table.dead, 0)
    return {
      saw: `${dead} dead rows, ${oldestSnapshot === null ? 'no old snapshot' : `oldest snapshot ${oldestSnapshot}`}`,
      findings,
    }
  },
}

/** Judges what keeps Postgres from vacuuming. */
export function judgeVacuum({
  autovacuum,
  oldestId,
  longTransactions,
  preparedTransactions,
}: VacuumState): Finding[] {
  const findings: Finding[] = []
  if (!autovacuum)
    findings.push({
      level: 'error',
      message:
        'autovacuum is off: tables grow without bound, and Postgres in the end stops accepting changes',
      remedy: 'As a superuser: alter system set autovacuum = on; select pg_reload_conf();',
    })
  if (oldestId > WARNING_IDS)
    findings.push({
      level: oldestId > ERROR_IDS ? 'error' : 'warning',
      message: `The oldest transaction id is ${Math.round(oldestId / 1e6)} million transactions old: at 2,100 million, Postgres stops accepting changes`,
      remedy:
        'End the long transactions, prepared transactions and replication slots that hold it, then as a superuser in each database: vacuum freeze;',
    })
  for (const { pid, application, seconds, transactions } of longTransactions)
    findings.push({
      level: 'warning',
      message: `The session ${pid} (${application || 'without a name'}) has a snapshot ${seconds === null ? `${transactions} transactions` : `${Math.round(seconds / 60)} minutes`} old: what changed since cannot be vacuumed`,
      remedy: `If it is not a backup that is to go on: select pg_terminate_backend(${pid});`,
    })
  for (const name of preparedTransactions)
    findings.push({
      level: 'warning',
      message: `A prepared transaction is older than 10 minutes, ${name}: it holds its locks, and what changed since cannot be vacuumed`,
      remedy: `As its owner, if nothing is going to commit it: rollback prepared '${name.replaceAll("'", "''")}';`,
    })
  return findings
}
