import { type Sql, sql } from '../postgres/sql.ts'

/** Events of a webhook that wait for another attempt; with more, no further ones are begun. */
export const MAX_RETRIES = 1_000

/** Condition on a webhook `w`: this worker delivers to it. */
export const heldBy = (holder: string): Sql => sql`w.leased_by = ${holder} and w.disabled_at is null`
/** Condition on a webhook `w`: its subscription is not suspended, so that its events are delivered. */
export const isServed = sql`exists (select from subscriptions s where s.id = w.subscription_id and s.suspended_at is null)`
/** Condition on a waiting event `r`: it is of the webhook `w`. */
export const isOfWebhook = sql`r.subscription_id = w.subscription_id and r.webhook_id = w.id`
