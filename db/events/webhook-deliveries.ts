import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'
import type { EventType } from './event-types.ts'
import { publicEventId } from './public-event-id.ts'
import type { WebhookKey } from './webhook-secrets.ts'

/** Attempts of each webhook that the log keeps. */
const LOGGED_ATTEMPTS = 1_000

/** An attempt to deliver an event. */
export interface Attempt {
  /** When it began. */
  readonly at: Date
  readonly eventPublicId: string
  readonly type: EventType
  /** From 1. */
  readonly attempt: number
  /** `given_up`: it failed and is not tried again. */
  readonly outcome: 'delivered' | 'failed' | 'given_up'
  /** null without an answer. */
  readonly status: number | null
  /** The first characters of the answer, or why there is none. */
  readonly answer: string
  readonly ms: number
}

/** Adds attempts to the log of a webhook. */
export async function logAttempts(
  trx: Db,
  { subscriptionId, id }: WebhookKey,
  attempts: readonly Attempt[],
): Promise<void> {
  if (attempts.length === 0) return
  const rows = valueRows(
    ['timestamptz', 'uuid', 'text', 'integer', 'text', 'integer', 'text', 'integer'],
    attempts.map((one) => [
      ...[one.at.toISOString(), one.eventPublicId, one.type, one.attempt],
      ...[one.outcome, one.status, one.answer, Math.round(one.ms)],
    ]),
  )
  await queryRows(
    trx,
    sql`insert into webhook_deliveries
          (subscription_id, webhook_id, at, event_public_id, type, attempt, outcome, status, answer, ms)
        select ${subscriptionId}, ${id}, v.* from (values ${rows}) v`,
  )
}

/** Removes all but the last attempts of a webhook from its log. */
export async function trimLog(db: Db, { subscriptionId, id }: WebhookKey): Promise<void> {
  await queryRows(
    db,
    sql`delete from webhook_deliveries
        where subscription_id = ${subscriptionId} and webhook_id = ${id} and id <= (
          select id from webhook_deliveries where subscription_id = ${subscriptionId} and webhook_id = ${id}
          order by id desc offset ${LOGGED_ATTEMPTS} limit 1
        )`,
  )
}

/** An attempt as admins see it; the timestamp is UTC with six fractional digits. */
export interface DeliveryItem extends Omit<Attempt, 'at' | 'eventPublicId'> {
  readonly id: number
  readonly at: string
  readonly eventId: string
}

/** Lists up to `limit` attempts of a webhook, newest first. @param before an id of an attempt. */
export async function listDeliveries(
  db: Db,
  { subscriptionId, id }: WebhookKey,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<DeliveryItem[]> {
  const rows = await queryRows<Omit<DeliveryItem, 'eventId'> & { publicId: string }>(
    db,
    sql`select id, ${utcText('at')} as at, event_public_id as "publicId", type, attempt, outcome, status, answer, ms
        from webhook_deliveries
        where subscription_id = ${subscriptionId} and webhook_id = ${id}
          and (${before ?? null}::bigint is null or id < ${before ?? null}::bigint)
        order by id desc limit ${limit}`,
  )
  return rows.map(({ publicId, ...row }) => ({ ...row, eventId: publicEventId(publicId) }))
}
