import pg from 'pg'
import type { Finding } from './finding.ts'
import type { PostgresSettings } from './postgres-settings.ts'

/** Values of `synchronous_commit` with which a commit waits for a synchronous standby, if there is one. */
const WAITS_FOR_STANDBY = ['on', 'remote_write', 'remote_apply']

/**
 * Checks that a committed upload survives a crash of the server. Errors are settings under which it does not.
 *
 * A commit that a synchronous standby has confirmed survives with `fsync` off: some hosted Postgres store their data in this way.
 *
 * @see PostgreSQL manual, "Write Ahead Log": fsync, synchronous_commit, full_page_writes
 * @see docs/decisions/0028-no-start-where-uploads-would-be-lost.md
 */
export function checkDurability(settings: PostgresSettings): Finding[] {
  const { fsync, fullPageWrites, synchronousCommit, synchronousStandbys } = settings
  const isReplicated = synchronousStandbys !== '' && WAITS_FOR_STANDBY.includes(synchronousCommit)
  const findings: Finding[] = []
  if (!fsync)
    findings.push({
      level: isReplicated ? 'warning' : 'error',
      message: isReplicated
        ? 'fsync is off: only the synchronous standbys keep the database when this server crashes'
        : 'fsync is off: when the server crashes, accepted uploads are lost and the database can be damaged',
      remedy: 'As a superuser: alter system set fsync = on; select pg_reload_conf();',
    })
  if (synchronousCommit === 'off')
    findings.push({
      level: 'error',
      message:
        'synchronous_commit is off: when Postgres crashes, uploads of the last moments are lost although they were accepted',
      remedy: `As a superuser: ${resetEverywhere('synchronous_commit', settings)} Then restart web and workers`,
    })
  if (!fullPageWrites)
    findings.push({
      level: 'warning',
      message:
        'full_page_writes is off: a crash during a write can damage the database, unless the file system writes whole pages, as ZFS does',
      remedy: 'As a superuser: alter system set full_page_writes = on; select pg_reload_conf();',
    })
  return findings
}

/** A role, a database or the server may have the setting. */
function resetEverywhere(setting: string, { role, database }: PostgresSettings): string {
  const [quotedRole, quotedDatabase] = [role, database].map(pg.escapeIdentifier)
  return [
    `alter role ${quotedRole} reset ${setting};`,
    `alter role ${quotedRole} in database ${quotedDatabase} reset ${setting};`,
    `alter database ${quotedDatabase} reset ${setting};`,
    `alter system set ${setting} = on;`,
    'select pg_reload_conf();',
  ].join(' ')
}
