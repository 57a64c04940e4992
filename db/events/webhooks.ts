import { type Actor, actorText } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import type { Vault } from '../encryption/vault.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { BOUND } from './event-position.ts'
import type { EventType } from './event-types.ts'
import { publicEventId } from './public-event-id.ts'
import { startRecording, untilRecording } from './recording.ts'
import { addSecret, expireSecrets, MAX_SECRETS, type WebhookKey } from './webhook-secrets.ts'

/** Webhooks of a subscription. */
export const MAX_WEBHOOKS = 10

/** Settings of a webhook. */
export interface WebhookSettings {
  readonly url: string
  readonly label: string
  /** Empty: all. */
  readonly types: readonly EventType[]
}

/** A webhook as admins see it: never its secrets. Timestamps are UTC with six fractional digits. */
export interface Webhook extends WebhookSettings {
  readonly id: number
  /** `failing`: the receiver takes nothing, and deliveries are tried again later. */
  readonly state: 'enabled' | 'failing' | 'disabled'
  readonly disabledReason: 'requested' | 'failing' | 'gone' | null
  readonly createdBy: string
  readonly createdAt: string
  /** Since when nothing was delivered, although it was tried. */
  readonly failingSince: string | null
  /** When a delivery is tried again. */
  readonly nextAttemptAt: string | null
  readonly deliveredAt: string | null
  /** Whether events are being delivered again. */
  readonly isReplaying: boolean
  /** When its secrets expire, newest first; null never. */
  readonly secrets: readonly { readonly createdAt: string; readonly expiresAt: string | null }[]
}

/** Subscription of a webhook, and the actor who changes it. */
interface By {
  readonly subscriptionId: number
  readonly actor: Actor
}

const isFailing = sql`w.disabled_at is null and w.failures > 0`

/** Lists the webhooks of a subscription, oldest first. @param id only this one. */
export async function listWebhooks(
  db: Db,
  subscriptionId: number,
  id: number | null = null,
): Promise<Webhook[]> {
  return queryRows(
    db,
    sql`select w.id, w.url, w.label, w.types,
               case when w.disabled_at is not null then 'disabled' when ${isFailing} then 'failing' else 'enabled' end as state,
               w.disabled_reason as "disabledReason", w.created_by as "createdBy",
               ${utcText('w.created_at')} as "createdAt",
               ${utcText('w.failing_since')} as "failingSince",
               case when ${isFailing} then ${utcText('w.due_at')} end as "nextAttemptAt",
               ${utcText('w.delivered_at')} as "deliveredAt", w.replay_position is not null as "isReplaying",
               coalesce((
                 select json_agg(json_build_object(
                   'createdAt', ${utcText('s.created_at')}, 'expiresAt', ${utcText('s.expires_at')}) order by s.id desc)
                 from webhook_secrets s
                 where s.subscription_id = w.subscription_id and s.webhook_id = w.id
                   and (s.expires_at is null or s.expires_at > now())
               ), '[]')::jsonb as secrets
        from webhooks w
        where w.subscription_id = ${subscriptionId} and (${id}::integer is null or w.id = ${id}::integer)
        order by w.created_at, w.id`,
  )
}

export async function findWebhook(db: Db, { subscriptionId, id }: WebhookKey): Promise<Webhook | undefined> {
  const [webhook] = await listWebhooks(db, subscriptionId, id)
  return webhook
}

async function requireWebhook(db: Db, key: WebhookKey): Promise<Webhook> {
  const webhook = await findWebhook(db, key)
  if (!webhook) throw new Error('webhook not found after its change')
  return webhook
}

/**
 * Creates a webhook, and records it in the audit log. It receives the events that are committed after this resolves.
 *
 * @returns `limit` if the subscription has `MAX_WEBHOOKS` already. `secret` cannot be shown again.
 */
export async function createWebhook(
  { db, vault }: { db: Db; vault: Vault },
  { subscriptionId, actor, url, label, types }: By & WebhookSettings,
): Promise<(Webhook & { secret: string }) | 'limit'> {
  await vault.findKeys(subscriptionId) // needs a connection of its own
  const created = await db.transaction(async (trx) => {
    const [existing] = await queryRows<{ webhooks: number }>(
      trx,
      sql`with subscription as (select id from subscriptions where id = ${subscriptionId} for no key update)
          select (select count(*)::int from webhooks w where w.subscription_id = s.id) as webhooks from subscription s`,
    )
    if ((existing?.webhooks ?? 0) >= MAX_WEBHOOKS) return 'limit'
    const isNew = await startRecording(trx, subscriptionId)
    const [row] = await queryRows<{ id: number }>(
      trx,
      sql`insert into webhooks (subscription_id, url, label, types, created_by, position, event_id)
          values (${subscriptionId}, ${url}, ${label}, ${types}, ${actorText(actor)}, ${BOUND}, 0) returning id`,
    )
    if (!row) throw new Error('insert returned no row')
    const key = { subscriptionId, id: row.id }
    const secret = await addSecret({ db: trx, vault }, key)
    await recordAudit(trx, {
      ...{ subscriptionId, actor, action: 'webhook.create', subject: String(row.id) },
      detail: { url: withoutQuery(url), label, types },
    })
    return { isNew, webhook: { ...(await requireWebhook(trx, key)), secret } }
  })
  if (created === 'limit') return 'limit'
  if (created.isNew) await untilRecording(db)
  return created.webhook
}

/** A URL as records keep it: what follows the `?` may be a secret. */
const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '?…')

/**
 * Changes settings of a webhook; absent members keep their values. Enabling it again delivers the events recorded while it was disabled, if they are still stored.
 *
 * @returns undefined if the subscription has no such webhook.
 */
export async function changeWebhook(
  db: Db,
  {
    subscriptionId,
    actor,
    id,
    url,
    label,
    types,
    enabled,
  }: By & { id: number; enabled?: boolean | undefined } & {
    [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined
  },
): Promise<Webhook | undefined> {
  return db.transaction(async (trx) => {
    const [found] = await queryRows<{ disabled: boolean }>(
      trx,
      sql`select disabled_at is not null as disabled from webhooks
          where subscription_id = ${subscriptionId} and id = ${id} for no key update`,
    )
    if (!found) return undefined
    const turned = enabled !== undefined && enabled === found.disabled
    await queryRows(
      trx,
      sql`update webhooks set
            url = coalesce(${url ?? null}, url), label = coalesce(${label ?? null}, label),
            types = coalesce(${types ?? null}::text[], types)
          where subscription_id = ${subscriptionId} and id = ${id}`,
    )
    if (turned || url !== undefined) await tryAgain(trx, { subscriptionId, id })
    if (turned)
      await queryRows(
        trx,
        sql`update webhooks set disabled_at = case when ${!enabled} then now() end,
              disabled_reason = case when ${!enabled} then 'requested' end
            where subscription_id = ${subscriptionId} and id = ${id}`,
      )
    await recordAudit(trx, {
      ...{ subscriptionId, actor, action: 'webhook.change', subject: String(id) },
      detail: { url: url && withoutQuery(url), label, types, enabled: turned ? enabled : undefined },
    })
    return requireWebhook(trx, { subscriptionId, id })
  })
}

/** Makes all deliveries of a webhook due now, as if none had failed. */
async function tryAgain(trx: Db, { subscriptionId, id }: WebhookKey): Promise<void> {
  await queryRows(
    trx,
    sql`update webhooks set failures = 0, failing_since = null, due_at = now()
        where subscription_id = ${subscriptionId} and id = ${id}`,
  )
  await queryRows(
    trx,
    sql`update webhook_retries set due_at = now(), failed_since = now()
        where subscription_id = ${subscriptionId} and webhook_id = ${id}`,
  )
}

/** Deletes a webhook with its secrets and log. @returns false if the subscription has no such webhook. */
export async function deleteWebhook(
  db: Db,
  { subscriptionId, actor, id }: By & { id: number },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [deleted] = await queryRows<{ label: string }>(
      trx,
      sql`delete from webhooks where subscription_id = ${subscriptionId} and id = ${id} returning label`,
    )
    if (!deleted) return false
    await recordAudit(trx, {
      ...{ subscriptionId, actor, action: 'webhook.delete', subject: String(id) },
      detail: { label: deleted.label },
    })
    return true
  })
}

/**
 * Creates a new secret; earlier ones sign too for some hours.
 *
 * @returns `limit` if too many secrets overlap; undefined if the subscription has no such webhook.
 */
export async function rotateSecret(
  { db, vault }: { db: Db; vault: Vault },
  { subscriptionId, actor, id, overlapHours }: By & { id: number; overlapHours: number },
): Promise<(Webhook & { secret: string }) | 'limit' | undefined> {
  await vault.findKeys(subscriptionId)
  return db.transaction(async (trx) => {
    const key = { subscriptionId, id }
    const [found] = await queryRows(
      trx,
      sql`select 1 from webhooks where subscription_id = ${subscriptionId} and id = ${id} for no key update`,
    )
    if (!found) return undefined
    if ((await expireSecrets(trx, key, overlapHours)) >= MAX_SECRETS) return 'limit'
    const secret = await addSecret({ db: trx, vault }, key)
    await recordAudit(trx, {
      ...{ subscriptionId, actor, action: 'webhook.rotate', subject: String(id) },
      detail: { overlapHours },
    })
    return { ...(await requireWebhook(trx, key)), secret }
  })
}

/**
 * Requests a test event, which is delivered immediately, like any other event.
 *
 * @returns its id; `disabled` for a webhook that is; undefined if the subscription has no such webhook.
 */
export async function requestTest(
  db: Db,
  { subscriptionId, actor, id }: By & { id: number },
): Promise<{ eventId: string } | 'disabled' | undefined> {
  return db.transaction(async (trx) => {
    const state = await lockEnabled(trx, { subscriptionId, id })
    if (state !== 'enabled') return state
    const [event] = await queryRows<{ publicId: string }>(
      trx,
      sql`insert into events (subscription_id, position, webhook_id, type, data)
          select ${subscriptionId}, pg_current_xact_id()::text::bigint + base, ${id}, 'webhook.test',
                 ${JSON.stringify({ webhookId: id })}::jsonb
          from event_clock returning public_id as "publicId"`,
    )
    if (!event) throw new Error('insert returned no row')
    await tryAgain(trx, { subscriptionId, id })
    await recordAudit(trx, { subscriptionId, actor, action: 'webhook.test', subject: String(id) })
    return { eventId: publicEventId(event.publicId) }
  })
}

/**
 * Requests that the events of a time are delivered again, beside new ones; an earlier request that is not done is replaced.
 *
 * @returns as `requestTest`.
 */
export async function requestReplay(
  db: Db,
  { subscriptionId, actor, id, since, until }: By & { id: number; since: Date; until: Date },
): Promise<'requested' | 'disabled' | undefined> {
  return db.transaction(async (trx) => {
    const state = await lockEnabled(trx, { subscriptionId, id })
    if (state !== 'enabled') return state
    await queryRows(
      trx,
      sql`update webhooks set replay_position = 0, replay_event_id = 0, replay_since = ${since}, replay_until = ${until}
          where subscription_id = ${subscriptionId} and id = ${id}`,
    )
    await recordAudit(trx, {
      ...{ subscriptionId, actor, action: 'webhook.replay', subject: String(id) },
      detail: { since, until },
    })
    return 'requested'
  })
}

async function lockEnabled(
  trx: Db,
  { subscriptionId, id }: WebhookKey,
): Promise<'enabled' | 'disabled' | undefined> {
  const [found] = await queryRows<{ state: 'enabled' | 'disabled' }>(
    trx,
    sql`select case when disabled_at is null then 'enabled' else 'disabled' end as state from webhooks
        where subscription_id = ${subscriptionId} and id = ${id} for no key update`,
  )
  return found?.state
}
