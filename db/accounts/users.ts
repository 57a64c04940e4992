import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

export type UserRole = 'admin' | 'analyst'

/** A user with what a sign-in needs. */
export interface User {
  readonly id: number
  readonly subscriptionId: number
  readonly email: string
  readonly role: UserRole
  /** null until an invited user sets a password. */
  readonly passwordHash: string | null
  readonly disabled: boolean
  /** Whether the subscription is suspended. */
  readonly suspended: boolean
}

/** E-mails are compared without regard to case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** @throws a unique violation (23505) if any subscription has a user of this e-mail. */
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

export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  const [user] = await queryRows<User>(
    db,
    sql`select u.id, u.subscription_id as "subscriptionId", u.email, u.role, u.password_hash as "passwordHash",
            u.disabled_at is not null as disabled, s.suspended_at is not null as suspended
     from users u join subscriptions s on s.id = u.subscription_id where u.email = ${normalizeEmail(email)}`,
  )
  return user
}
