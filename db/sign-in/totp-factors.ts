import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { FactorOwner } from './factor-owner.ts'

/** A stored TOTP factor; its secret is sealed. */
export interface TotpFactor {
  readonly id: string
  readonly secret: Buffer
}

export async function listTotpFactors(
  db: Db,
  { subscriptionId, userId }: FactorOwner,
): Promise<TotpFactor[]> {
  return queryRows(
    db,
    sql`select id, secret from factors
        where subscription_id = ${subscriptionId} and user_id = ${userId} and kind = 'totp'`,
  )
}

/** Uses up the code of a step. @returns false if a code of this or a later step was used before: a replay. */
export async function takeTotpStep(
  db: Db,
  { subscriptionId, id, step }: { subscriptionId: number; id: string; step: number },
): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`update factors set last_step = ${step}, last_used_at = now()
        where subscription_id = ${subscriptionId} and id = ${id} and last_step < ${step} returning id`,
  )
  return rows.length === 1
}
