import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { BOUND } from './event-position.ts'
import { heldBy, isOfWebhook, isServed, MAX_RETRIES } from './webhook-conditions.ts'
import type { WebhookKey } from './webhook-secrets.ts'

/** A worker that delivers, for as long as it renews its leases. */
interface Lease {
  /** UUID of the worker. */
  readonly holder: string
  readonly seconds: number
}

/** Webhooks of one worker. */
const MAX_LEASED = 500

/** Leases webhooks that no other worker delivers to, and renews those of this one. @returns all that it holds. */
export async function leaseWebhooks(db: Db, { holder, seconds }: Lease): Promise<WebhookKey[]> {
  return queryRows(
    db,
    sql`update webhooks w set leased_by = ${holder}, leased_until = now() + make_interval(secs => ${seconds}::double precision)
        from (
          select w.subscription_id, w.id from webhooks w
          where w.disabled_at is null and ${isServed}
            and (w.leased_by = ${holder} or w.leased_until is null or w.leased_until < now())
          order by w.leased_by is distinct from ${holder}, w.leased_until nulls first limit ${MAX_LEASED}
          for update skip locked
        ) k
        where w.subscription_id = k.subscription_id and w.id = k.id
        returning w.subscription_id as "subscriptionId", w.id`,
  )
}

/** Ends the leases of a worker that stops. */
export async function endLeases(db: Db, holder: string): Promise<void> {
  await queryRows(
    db,
    sql`update webhooks set leased_by = null, leased_until = null where leased_by = ${holder}`,
  )
}

/** Lists those webhooks of a worker that have something to deliver now. */
export async function listDue(db: Db, holder: string): Promise<WebhookKey[]> {
  return queryRows(
    db,
    sql`select w.subscription_id as "subscriptionId", w.id from webhooks w
        where ${heldBy(holder)} and ${isServed} and w.due_at <= now() and (
          exists (
            select from webhook_retries r where ${isOfWebhook} and (r.due_at <= now() or w.failures > 0)
          )
          or (
            (w.replay_position is not null or exists (
              select from events e
              where e.subscription_id = w.subscription_id and (e.position, e.id) > (w.position, w.event_id)
                and e.position < ${BOUND}
            ))
            and (select count(*) from webhook_retries r where ${isOfWebhook}) < ${MAX_RETRIES}
          )
        )`,
  )
}

/** Returns for how many seconds the oldest event has waited that is not delivered to an enabled webhook of a subscription that is not suspended; 0 if there is none. */
export async function measureWaiting(db: Db): Promise<number> {
  const [row] = await queryRows<{ seconds: number }>(
    db,
    sql`select coalesce(extract(epoch from now() - min(oldest.at)), 0)::float8 as seconds
        from webhooks w
        cross join lateral (
          (select e.at from events e
           where e.subscription_id = w.subscription_id and (e.position, e.id) > (w.position, w.event_id)
             and e.position < ${BOUND} order by e.position, e.id limit 1)
          union all
          (select e.at from webhook_retries r
           join events e on e.subscription_id = r.subscription_id and e.position = r.position and e.id = r.event_id
           where ${isOfWebhook} order by r.position, r.event_id limit 1)
        ) oldest
        where w.disabled_at is null and ${isServed}`,
  )
  return row?.seconds ?? 0
}
