import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** The user whose factors they are. */
export interface FactorOwner {
  readonly subscriptionId: number
  readonly userId: number
}

/** Locks a user, so that changes of their factors happen one after the other. */
export async function lockUser(
  trx: Db,
  { subscriptionId, userId }: FactorOwner,
): Promise<{ readonly email: string } | undefined> {
  const [user] = await queryRows<{ email: string }>(
    trx,
    sql`select email from users where subscription_id = ${subscriptionId} and id = ${userId} for no key update`,
  )
  return user
}
