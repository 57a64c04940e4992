import { endInvitations, lockUser } from '../accounts/admins.ts'
import { findUserByEmail, findUserById, normalizeEmail, type User, type UserRole } from '../accounts/users.ts'
import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { domainOf, type SsoConnection } from './sso-connections.ts'

/** Somebody as the provider has just described them. */
export interface SsoPerson {
  /** Who it is, for as long as the provider exists. */
  readonly subject: string
  /** Undefined without one, and for one that the provider did not verify. */
  readonly email: string | undefined
  /** Role by the claim; undefined: roles are not taken from a claim. */
  readonly role: UserRole | undefined
}

/** Why somebody whom the provider knows may not sign in. Labels of metrics: never renamed. */
export type SsoDenial = 'sso_email' | 'sso_domain' | 'sso_user' | 'sso_identity' | 'sso_disabled'

const SERVICE: Actor = { kind: 'service', id: null, name: 'single sign-on' }

/**
 * Returns the user whom the provider describes: the one it described before, otherwise the one with the e-mail, which is then linked,
 * otherwise a new one. Takes over the role, unless this would leave no admin. Changes are recorded in the audit log.
 */
export async function signInBySso(
  db: Db,
  connection: SsoConnection,
  person: SsoPerson,
): Promise<{ readonly user: User } | { readonly denied: SsoDenial; readonly userId?: number }> {
  const { subscriptionId, issuer } = connection
  return db.transaction(async (trx) => {
    const known = await findUserOfIdentity(trx, connection, person.subject)
    const linked = known === undefined ? await linkUser(trx, connection, person) : { userId: known }
    if ('denied' in linked) return linked
    const { userId } = linked
    const locked = await lockUser(trx, subscriptionId, userId)
    if (!locked) return { denied: 'sso_user' }
    if (locked.disabled) return { denied: 'sso_disabled', userId }
    const { role } = person
    if (role !== undefined && role !== locked.role) {
      const isKept = locked.isLastAdmin
      if (!isKept)
        await queryRows(
          trx,
          sql`update users set role = ${role} where subscription_id = ${subscriptionId} and id = ${userId}`,
        )
      if (!isKept && role !== 'admin') await endInvitations(trx, subscriptionId, { by: userId })
      await recordAudit(trx, {
        ...{ subscriptionId, actor: SERVICE, action: 'user.role', subject: locked.email },
        detail: { role, before: locked.role, ...(isKept && { reason: 'last_admin' }) },
        outcome: isKept ? 'denied' : 'success',
      })
    }
    await queryRows(
      trx,
      sql`update sso_identities set last_used_at = clock_timestamp()
          where subscription_id = ${subscriptionId} and issuer = ${issuer} and subject = ${person.subject}`,
    )
    const user = await findUserById(trx, subscriptionId, userId)
    if (!user) throw new Error(`User ${userId} disappeared while locked`)
    return { user }
  })
}

/** Finds the user whom the provider calls by a subject, also a disabled one. */
export async function findUserOfIdentity(
  db: Db,
  { subscriptionId, issuer }: Pick<SsoConnection, 'subscriptionId' | 'issuer'>,
  subject: string,
): Promise<number | undefined> {
  const [row] = await queryRows<{ userId: number }>(
    db,
    sql`select user_id as "userId" from sso_identities
        where subscription_id = ${subscriptionId} and issuer = ${issuer} and subject = ${subject}`,
  )
  return row?.userId
}

/** Links the user with the person's e-mail, or a new one, to the person. */
async function linkUser(
  trx: Db,
  connection: SsoConnection,
  { subject, email, role }: SsoPerson,
): Promise<{ readonly userId: number } | { readonly denied: SsoDenial; readonly userId?: number }> {
  const { subscriptionId, issuer, domains, createsUsers } = connection
  if (email === undefined) return { denied: 'sso_email' }
  if (!domains.some(({ domain }) => domain === domainOf(email))) return { denied: 'sso_domain' }
  const found = await findUserByEmail(trx, subscriptionId, email)
  if (found?.disabled) return { denied: 'sso_disabled', userId: found.id }
  const newRole = role ?? connection.defaultRole
  if (!found && (!createsUsers || newRole === null)) return { denied: 'sso_user' }
  const userId =
    found?.id ?? (await createSsoUser(trx, { subscriptionId, email, role: newRole ?? 'analyst' }))
  const [linked] = await queryRows(
    trx,
    sql`insert into sso_identities (subscription_id, issuer, subject, user_id)
        values (${subscriptionId}, ${issuer}, ${subject}, ${userId}) on conflict do nothing returning user_id`,
  )
  // somebody else of the provider has this e-mail, or had it: whose user it is, is for an admin to decide
  if (!linked && (await findUserOfIdentity(trx, connection, subject)) !== userId)
    return { denied: 'sso_identity', userId }
  if (linked)
    await recordAudit(trx, {
      ...{ subscriptionId, actor: SERVICE, action: 'sso.link', subject: normalizeEmail(email) },
      detail: { issuer },
    })
  return { userId }
}

async function createSsoUser(
  trx: Db,
  { subscriptionId, email: presented, role }: { subscriptionId: number; email: string; role: UserRole },
): Promise<number> {
  const email = normalizeEmail(presented)
  const [created] = await queryRows<{ id: number }>(
    trx,
    sql`insert into users (subscription_id, email, role) values (${subscriptionId}, ${email}, ${role})
        on conflict (email, subscription_id) do nothing returning id`,
  )
  if (!created) {
    // a sign-in at the same time has created the user
    const user = await findUserByEmail(trx, subscriptionId, email)
    if (!user) throw new Error('a conflicting user disappeared')
    return user.id
  }
  await recordAudit(trx, {
    ...{ subscriptionId, actor: SERVICE, action: 'user.create', subject: email },
    detail: { role },
  })
  return created.id
}
