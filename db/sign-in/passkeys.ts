import { randomBytes } from 'node:crypto'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import type { FactorOwner } from './factor-owner.ts'

/** A stored passkey, with its user. */
export interface Passkey extends FactorOwner {
  readonly id: string
  readonly credentialId: Buffer
  readonly publicKey: Buffer
  readonly userHandle: Buffer
  readonly counter: number
  readonly transports: readonly string[]
}

const PASSKEY = raw(`
  subscription_id as "subscriptionId", user_id as "userId", id, credential_id as "credentialId",
  public_key as "publicKey", user_handle as "userHandle", counter::float8, transports`)

/** Finds the passkey of any user by the id that its authenticator gave it. */
export async function findPasskey(db: Db, credentialId: Buffer): Promise<Passkey | undefined> {
  const [passkey] = await queryRows<Passkey>(
    db,
    // the one query without a subscription: it finds out whose passkey it is
    sql`select ${PASSKEY} from factors where credential_id = ${credentialId}`,
  )
  return passkey
}

export async function listPasskeys(db: Db, { subscriptionId, userId }: FactorOwner): Promise<Passkey[]> {
  return queryRows(
    db,
    sql`select ${PASSKEY} from factors
        where subscription_id = ${subscriptionId} and user_id = ${userId} and kind = 'passkey'`,
  )
}

/** Bytes of a user handle, the most that WebAuthn allows. */
const HANDLE_BYTES = 64

/** Returns the handle that all passkeys of a user share, or a new random one: it reveals nothing of the user. */
export async function findUserHandle(db: Db, owner: FactorOwner): Promise<Buffer> {
  const [passkey] = await listPasskeys(db, owner)
  return passkey?.userHandle ?? randomBytes(HANDLE_BYTES)
}

/** Records the use of a passkey and the count of its authenticator. */
export async function recordPasskeyUse(
  db: Db,
  { subscriptionId, id, counter }: Pick<Passkey, 'subscriptionId' | 'id' | 'counter'>,
): Promise<void> {
  await queryRows(
    db,
    sql`update factors set last_used_at = now(), counter = greatest(counter, ${counter})
        where subscription_id = ${subscriptionId} and id = ${id}`,
  )
}
