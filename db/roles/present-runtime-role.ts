import type { RuntimeRole } from './prepare-runtime-role.ts'

const GUIDE = 'See "Two roles" in docs/operations/server.md'

/**
 * Describes what became of the runtime role to the operator, with the SQL that an administrator has to run.
 *
 * @param role undefined without `DATABASE_OWNER_URL`.
 * @returns `failed`: web and worker cannot start with their URL.
 */
export function presentRuntimeRole(role: RuntimeRole | undefined): { lines: string[]; failed: boolean } {
  if (role === undefined)
    return {
      lines: [
        `Warning: DATABASE_OWNER_URL is not set, so web and worker use the role that owns the tables and can change the audit log. ${GUIDE}`,
      ],
      failed: false,
    }
  switch (role.outcome) {
    case 'shared':
      return {
        lines: [
          `Warning: DATABASE_URL and DATABASE_OWNER_URL name the same role, ${role.name}, which can change the audit log. ${GUIDE}`,
        ],
        failed: false,
      }
    case 'missing':
      return {
        lines: [
          `The role of DATABASE_URL, ${role.name}, does not exist and could not be created: ${role.reason}.`,
          'As an administrator of the server run this, then the release process again:',
          `  ${role.sql}`,
        ],
        failed: true,
      }
    case 'ready': {
      if (role.excesses.length === 0) return { lines: [], failed: false }
      return {
        lines: [
          `Warning: the role of DATABASE_URL, ${role.name}, may ${role.excesses.map(({ may }) => may).join('; ')}. As an administrator of the server run, in this database:`,
          ...role.excesses.map(({ sql }) => `  ${sql}`),
        ],
        failed: false,
      }
    }
  }
}
