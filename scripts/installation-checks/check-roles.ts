import type { Finding } from '../../db/checks/finding.ts'
import { ClosingClient } from '../../db/postgres/closing-client.ts'
import { connectionConfig } from '../../db/postgres/database.ts'
import { findCurrentRole } from '../../db/roles/current-role.ts'
import { findExcesses } from '../../db/roles/find-excesses.ts'
import type { Check } from './check.ts'

const GUIDE = 'docs/operations/server.md, "Two roles"'

/** Checks that the role of web and worker may not do more than it needs. */
export const checkRoles: Check = {
  name: 'roles',
  async run({ tables, database, env, isProduction }) {
    const db = await tables()
    const role = await findCurrentRole(db)
    const findings: Finding[] = []
    if (role.changesAudit)
      findings.push({
        level: isProduction ? 'warning' : 'note',
        message: `The role of DATABASE_URL, ${role.name}, can change tables and the audit log`,
        remedy: `Set DATABASE_OWNER_URL to this role for the release process, and DATABASE_URL to a second one: ${GUIDE}`,
      })
    else {
      const client = new ClosingClient(connectionConfig(database()))
      await client.connect()
      try {
        for (const { may, sql } of await findExcesses(client, role.name, role.owner, ['public', 'bullmq']))
          findings.push({
            level: 'warning',
            message: `The role of DATABASE_URL, ${role.name}, may ${may}`,
            remedy: `As an administrator: ${sql}`,
          })
      } finally {
        await client.end()
      }
    }
    if (env.DATABASE_OWNER_URL && isProduction)
      findings.push({
        level: 'note',
        message:
          'DATABASE_OWNER_URL is set here: only the release process needs it, and web and worker should not know it',
      })
    return { saw: `${role.name}${role.changesAudit ? '' : `, tables of ${role.owner}`}`, findings }
  },
}
