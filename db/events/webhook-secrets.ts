import { randomBytes } from 'node:crypto'
import type { SealedFor } from '../encryption/seal.ts'
import type { Vault } from '../encryption/vault.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'

/** A webhook by its primary key. */
export interface WebhookKey {
  readonly subscriptionId: number
  readonly id: number
}

/** Secrets of a webhook that sign at the same time. */
export const MAX_SECRETS = 5

const SECRET_BYTES = 32

const sealedFor = ({ subscriptionId, id }: WebhookKey): SealedFor => ({
  ...{ subscriptionId, kind: 'webhook', name: String(id) },
})

const IS_LIVE = '(expires_at is null or expires_at > now())'

/** Creates a secret of a webhook. @returns it, as receivers need it: `whsec_` and base64. */
export async function addSecret(
  { db, vault }: { db: Db; vault: Pick<Vault, 'seal'> },
  key: WebhookKey,
): Promise<string> {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
  const plain = Buffer.from(secret)
  await queryRows(
    db,
    sql`insert into webhook_secrets (subscription_id, webhook_id, secret)
        values (${key.subscriptionId}, ${key.id}, ${(await vault.seal(sealedFor(key), plain)) ?? plain})`,
  )
  return secret
}

/**
 * Lets the live secrets of a webhook expire after some hours, and removes those that have expired.
 *
 * @returns how many are live.
 */
export async function expireSecrets(
  trx: Db,
  { subscriptionId, id }: WebhookKey,
  hours: number,
): Promise<number> {
  await queryRows(
    trx,
    sql`delete from webhook_secrets
        where subscription_id = ${subscriptionId} and webhook_id = ${id} and not ${raw(IS_LIVE)}`,
  )
  const live = await queryRows(
    trx,
    sql`update webhook_secrets
        set expires_at = least(expires_at, now() + make_interval(hours => ${hours}))
        where subscription_id = ${subscriptionId} and webhook_id = ${id} returning 1`,
  )
  return hours === 0 ? 0 : live.length
}

/** The live secrets of a webhook `w` as they are stored, newest first: an expression. */
export const LIVE_SECRETS = raw(`array(
  select secret from webhook_secrets
  where subscription_id = w.subscription_id and webhook_id = w.id and ${IS_LIVE}
  order by id desc)`)

/** Returns the secrets of a webhook from what is stored: each signs. @throws DataKeyError */
export const unsealSecrets = (
  vault: Pick<Vault, 'open'>,
  key: WebhookKey,
  sealed: readonly Buffer[],
): Promise<string[]> =>
  Promise.all(sealed.map(async (secret) => String(await vault.open(sealedFor(key), secret))))
