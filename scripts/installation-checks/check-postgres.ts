import pg from 'pg'
import { checkServer } from '../../db/checks/check-server.ts'
import { connectionConfig } from '../../db/postgres/database.ts'
import type { Check } from './check.ts'
import { describeError } from './describe-error.ts'
import { Skipped } from './skipped.ts'

/** Checks that Postgres answers, its version, and that it accepts changes. */
export const checkPostgres: Check = {
  name: 'postgres',
  async run(installation) {
    const { host, port, database } = new pg.Client(connectionConfig(installation.database()))
    const at = host.startsWith('/') ? host : `${host}:${port}`
    try {
      const settings = await installation.settings()
      const saw = `${settings.versionName} at ${at}, database ${settings.database}, role ${settings.role}`
      return { saw, findings: checkServer(settings) }
    } catch (error) {
      if (error instanceof Skipped) throw error
      const message = `Postgres does not accept a connection to the database ${database}: ${describeError(error)}`
      const remedy =
        'Check DATABASE_URL, that Postgres runs, and that this machine may connect to it (pg_hba.conf, firewall)'
      return { saw: at, findings: [{ level: 'error', message, remedy }] }
    }
  },
}
