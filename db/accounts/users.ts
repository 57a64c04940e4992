import { type Db, queryRows } from '../postgres/database.ts'

export type UserRole = 'admin' | 'analyst'

/** A user as a login needs it. */
export interface User {
  readonly id: number
  readonly subscriptionId: number
  readonly email: string
  readonly role: UserRole
  /** null until who was invited sets a password. */
  readonly passwordHash: string | null
  readonly disabled: boolean
  /** Whether the subscription is suspended. */
  readonly suspended: boolean
}

/** E-mails are compared without regard to case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** @throws a unique violation (23505) when any subscription has a user of this e-mail. */
export async function createUser(
  db: Db,
  user: { subscriptionId: number; email: string; role: UserRole; passwordHash: string },
): Promise<number> {
  const [row] = await queryRows<{ id: number }>(
    db,
    'insert into users (subscription_id, email, role, password_hash) values (?, ?, ?, ?) returning id',
    [user.subscriptionId, normalizeEmail(user.email), user.role, user.passwordHash],
  )
  if (!row) throw new Error('insert returned no row')
  return row.id
}

export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  const [user] = await queryRows<User>(
    db,
    `select u.id, u.subscription_id as "subscriptionId", u.email, u.role, u.password_hash as "passwordHash",
            u.disabled_at is not null as disabled, s.suspended_at is not null as suspended
     from users u join subscriptions s on s.id = u.subscription_id where u.email = ?`,
    [normalizeEmail(email)],
  )
  return user
}
