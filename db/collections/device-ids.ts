import { createHmac, randomBytes } from 'node:crypto'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

const SECRET_BYTES = 32

/** Finds the secret from which a subscription's device ids are derived; creates it when it is first needed. */
export async function findCollectionSecret(db: Db, subscriptionId: number): Promise<Buffer> {
  const find = async () => {
    const [row] = await queryRows<{ secret: Buffer }>(
      db,
      sql`select secret from collection_secrets where subscription_id = ${subscriptionId}`,
    )
    return row?.secret
  }
  const found = await find()
  if (found) return found
  await queryRows(
    db,
    sql`insert into collection_secrets (subscription_id, secret) values (${subscriptionId}, ${randomBytes(SECRET_BYTES)})
        on conflict do nothing`,
  )
  const created = await find()
  if (!created) throw new Error('The secret of a subscription was not stored')
  return created
}

/**
 * Derives the device id of a browser from the random value in its storage: 128 bits as 22 characters after `web_`.
 *
 * The value resets with the storage. Whoever reads a device id cannot find the value, so cannot send it from another browser; and
 * the same value has another id in another subscription.
 */
export const deriveDeviceId = (secret: Buffer, stored: string): string =>
  `web_${createHmac('sha256', secret).update(stored).digest().subarray(0, 16).toString('base64url')}`
