import type { Finding } from './finding.ts'
import type { PostgresSettings } from './postgres-settings.ts'

/** The oldest major version that the tests have passed on. */
const OLDEST_VERSION = 15

/** Checks that this Postgres can have the tables of the service and accepts changes. */
export function checkServer({ version, versionName, encoding, isReadOnly }: PostgresSettings): Finding[] {
  const findings: Finding[] = []
  if (version < OLDEST_VERSION * 10_000)
    findings.push({
      level: 'error',
      message: `Postgres ${versionName} is older than ${OLDEST_VERSION}, the oldest version that this one is tested with`,
      remedy: `Upgrade Postgres to ${OLDEST_VERSION} or newer: pg_upgrade, or the upgrade of your provider`,
    })
  if (encoding !== 'UTF8')
    findings.push({
      level: 'error',
      message: `The encoding of the database is ${encoding}: texts of uploads cannot all be stored`,
      remedy: "Create the database again: create database NAME encoding 'UTF8' template template0",
    })
  if (isReadOnly)
    findings.push({
      level: 'error',
      message:
        'Postgres rejects changes: it is a replica, or default_transaction_read_only is on; uploads are answered 503',
      remedy: 'Set DATABASE_URL to the address of the primary, or reset default_transaction_read_only',
    })
  return findings
}
