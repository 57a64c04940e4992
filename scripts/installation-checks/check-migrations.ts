import type { Finding } from '../../db/checks/finding.ts'
import { isNeeded } from '../../db/deferred-migrations.ts'
import type { MigrationState } from '../../db/migrate-database.ts'
import type { Check } from './check.ts'

const RELEASE = 'Run the release process with DATABASE_OWNER_URL: scripts/node db/migrate.ts'

/** Checks that the tables are those of this version. */
export const checkMigrations: Check = {
  name: 'migrations',
  async run({ postgres, migrations }) {
    const db = await postgres()
    let state: MigrationState
    try {
      state = await migrations()
    } catch (error) {
      const fault = FAULTS[codeOf(error)]
      if (fault === undefined) throw error
      return { saw: 'nothing', findings: [{ level: 'error', message: fault, remedy: RELEASE }] }
    }
    const { pending, deferred, later } = state
    const findings: Finding[] = []
    if (pending.length > 0)
      findings.push({
        level: 'error',
        message: `The database lacks migrations of this version: ${pending.join(', ')}; web and worker do not start`,
        remedy: RELEASE,
      })
    else if (deferred[0] !== undefined) findings.push(await describeDeferred(deferred[0]))
    if (later.length > 0)
      findings.push({
        level: 'note',
        message: `A later version has migrated the database: ${later.join(', ')}. This version works with it`,
      })
    return { saw: `${pending.length} pending, ${deferred.length} deferred`, findings }

    async function describeDeferred(name: string): Promise<Finding> {
      if (await isNeeded(db, name))
        return {
          level: 'note',
          message: `The migration ${name} waits until no process of an earlier version is connected`,
          remedy: `${RELEASE}, again once those processes have ended`,
        }
      return {
        level: 'warning',
        message: `The deferred migration ${name} can run now: no process needs what it removes`,
        remedy: RELEASE,
      }
    }
  },
}

/** By SQLSTATE. */
const FAULTS: Readonly<Record<string, string>> = {
  '42P01': 'The database has no tables: web and worker do not start',
  '42501': 'The role of DATABASE_URL may not read the tables: web and worker do not start',
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')
