import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'

export type UserRole = 'admin' | 'analyst'

/** A user with what a sign-in needs. */
export interface User {
  readonly id: number
  readonly subscriptionId: number
  readonly subscriptionName: string
  readonly email: string
  readonly role: UserRole
  /** null until an invited user sets a password. */
  readonly passwordHash: string | null
  readonly disabled: boolean
  /** Whether the subscription is suspended. */
  readonly suspended: boolean
  /** Id of the connection by which the user has to sign in, since passwords are off; otherwise null. */
  readonly requiredSso: string | null
}

/** E-mails are compared without regard to case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** @throws a unique violation (23505) if the subscription has a user of this e-mail. */
export async function createUser(
  db: Db,
  user: { subscriptionId: number; email: string; role: UserRole; passwordHash: string },
): Promise<number> {
  const [row] = await queryRows<{ id: number }>(
    db,
    sql`insert into users (subscription_id, email, role, password_hash)
        values (${user.subscriptionId}, ${normalizeEmail(user.email)}, ${user.role}, ${user.passwordHash}) returning id`,
  )
  if (!row) throw new Error('insert returned no row')
  return row.id
}

/** Whether the user in `u` has to sign in by single sign-on. */
const IS_SSO_REQUIRED = `exists (
  select from sso_connections c
  join sso_domains d on d.subscription_id = c.subscription_id and d.domain = substring(u.email from '[^@]*$')
  where c.subscription_id = u.subscription_id and not c.password_login)`

/** Whether the user in `u` may sign in by a password or a passkey. */
export const MAY_USE_PASSWORD = raw(`not ${IS_SSO_REQUIRED}`)

const USER = raw(`
  u.id, u.subscription_id as "subscriptionId", s.name as "subscriptionName", u.email, u.role,
  u.password_hash as "passwordHash", u.disabled_at is not null as disabled, s.suspended_at is not null as suspended,
  case when ${IS_SSO_REQUIRED} then s.sso_id end as "requiredSso"`)

/** Finds the user of a subscription by e-mail. */
export async function findUserByEmail(
  db: Db,
  subscriptionId: number,
  email: string,
): Promise<User | undefined> {
  const [user] = await queryRows<User>(
    db,
    sql`select ${USER} from users u join subscriptions s on s.id = u.subscription_id
        where u.subscription_id = ${subscriptionId} and u.email = ${normalizeEmail(email)}`,
  )
  return user
}

/** Finds a user of a subscription who can sign in: not disabled. */
export async function findUserById(db: Db, subscriptionId: number, id: number): Promise<User | undefined> {
  const [user] = await queryRows<User>(
    db,
    sql`select ${USER} from users u join subscriptions s on s.id = u.subscription_id
        where u.subscription_id = ${subscriptionId} and u.id = ${id} and u.disabled_at is null`,
  )
  return user
}

/**
 * Lists up to `limit` users who can sign in with an e-mail and a password, one for each subscription, oldest first: users that
 * other subscriptions add later do not replace earlier ones.
 *
 * @param subscription its name; without it, users of all subscriptions.
 */
export async function listUsersByEmail(
  db: Db,
  { email, subscription, limit }: { email: string; subscription?: string | undefined; limit: number },
): Promise<(User & { readonly passwordHash: string })[]> {
  return queryRows(
    db,
    sql`select ${USER} from users u join subscriptions s on s.id = u.subscription_id
        where u.email = ${normalizeEmail(email)} and u.password_hash is not null and u.disabled_at is null
          and s.name = coalesce(${subscription ?? null}, s.name)
        order by u.created_at, u.id limit ${limit}`,
  )
}
