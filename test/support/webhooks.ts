import { PLAIN_VAULT } from '../../db/encryption/vault.ts'
import { createWebhook } from '../../db/events/webhooks.ts'
import type { Db } from '../../db/postgres/database.ts'
import { anActor } from './actors.ts'

/** Adds a webhook to a subscription in place of those it has. @returns its id. */
export async function addWebhook(db: Db, subscriptionId: number, label = 'backend'): Promise<number> {
  await db('webhooks').where({ subscription_id: subscriptionId }).delete()
  const created = await createWebhook(
    { db, vault: PLAIN_VAULT },
    { subscriptionId, actor: anActor('admin'), url: 'https://backend.example/hooks', label, types: [] },
  )
  if (created === 'limit') throw new Error('The subscription has too many webhooks')
  return created.id
}
