import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { type Sql, sql } from '../postgres/sql.ts'
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
  /** The first characters of the answer, or why there is none; without NUL and halves of characters. */
  readonly answer: string
  readonly ms: number
}

/**
 * Attempts as rows `a` in the order of the columns of the log. They are one value, since a statement with thousands of values takes Postgres much
 * longer.
 */
export const attemptRows = (attempts: readonly Attempt[]): Sql => {
  const rows = attempts.map(({ eventPublicId, ms, ...attempt }) => ({
    ...attempt,
    event_public_id: eventPublicId,
    ms: Math.round(ms),
  }))
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as a
    (at timestamptz, event_public_id uuid, type text, attempt integer, outcome text, status integer, answer text, ms integer)`
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
