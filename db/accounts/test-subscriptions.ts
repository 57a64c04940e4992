import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { type Sql, sql } from '../postgres/sql.ts'
import { promoteScorecard } from '../scorecards/scorecard-stages.ts'
import { saveDefinition } from '../scorecards/scorecards.ts'
import { TEST_MODE_CODE, testModeScorecard } from '../scorecards/test-mode-scorecard.ts'

/** Days after which datasets of a test mode are deleted; they can be shortened, and never extended. */
const TEST_DAYS = 7

/** Limits of a test mode, which cannot be changed. */
const TEST_LIMITS = {
  requestsPerSecond: 20,
  burst: 100,
  datasetsPerDay: 2_000,
  bytesStored: 256 * 1024 * 1024,
} as const

/** The ids of a subscription and its test mode, as a subquery. */
export const liveAndTest = (subscriptionId: number): Sql => sql`(
  select ${subscriptionId}::integer
  union all select id from subscriptions where test_of = ${subscriptionId}::integer and deleted_at is null
)`

/** Finds the test mode of a subscription, which is a subscription of its own; undefined while it has none. */
export async function findTestSubscription(db: Db, subscriptionId: number): Promise<number | undefined> {
  const [found] = await queryRows<{ id: number }>(
    db,
    sql`select id from subscriptions where test_of = ${subscriptionId} and deleted_at is null`,
  )
  return found?.id
}

/** Lists the test modes that a subscription has or had, also deleted ones. */
export async function listTestSubscriptions(db: Db, subscriptionId: number): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    db,
    sql`select id from subscriptions where test_of = ${subscriptionId} order by id`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Finds the test mode of a subscription, or creates it: with the fragments and champions that the subscription has now, which do not follow
 * later changes, the scorecard `test_mode`, a retention of 7 days, and fixed limits. Its creation is recorded in the subscription's audit log.
 *
 * Call it outside a transaction, or in a short one: it locks the row of the subscription.
 *
 * @returns the id of the test mode.
 * @throws if the subscription is a test mode itself, or is being deleted.
 */
export async function openTestSubscription(
  db: Db,
  { subscriptionId, actor }: { subscriptionId: number; actor: Actor },
): Promise<number> {
  const found = await findTestSubscription(db, subscriptionId)
  if (found !== undefined) return found
  return db.transaction(async (trx) => {
    // one at a time; uploads, whose foreign key reads this row, are not blocked
    const [live] = await queryRows<{ isOpen: boolean }>(
      trx,
      sql`select deleted_at is null and test_of is null as "isOpen" from subscriptions
          where id = ${subscriptionId} for no key update`,
    )
    if (!live?.isOpen) throw new Error(`The subscription ${subscriptionId} can have no test mode`)
    const created = await findTestSubscription(trx, subscriptionId)
    return created ?? createTestSubscription(trx, subscriptionId, actor)
  })
}

async function createTestSubscription(trx: Db, liveId: number, actor: Actor): Promise<number> {
  const [test] = await queryRows<{ id: number }>(
    trx,
    // the id makes the name unique, whatever an operator has named other subscriptions
    sql`insert into subscriptions (name, test_of, suspended_at)
        select name || ' (test mode of ' || id || ')', id, suspended_at from subscriptions where id = ${liveId}
        returning id`,
  )
  if (!test) throw new Error('insert returned no row')
  const { id } = test
  const { requestsPerSecond, burst, datasetsPerDay, bytesStored } = TEST_LIMITS
  await queryRows(
    trx,
    sql`insert into retention_policies (subscription_id, dataset_days) values (${id}, ${TEST_DAYS})
        on conflict (subscription_id) do update set dataset_days = excluded.dataset_days`,
  )
  await queryRows(
    trx,
    sql`insert into limits (subscription_id, key_id, requests_per_second, burst, datasets_per_day, bytes_stored)
        values (${id}, 0, ${requestsPerSecond}, ${burst}, ${datasetsPerDay}, ${bytesStored})`,
  )
  await queryRows(
    trx,
    sql`insert into fragments (subscription_id, code, kind)
        select ${id}, code, kind from fragments where subscription_id = ${liveId}`,
  )
  await queryRows(
    trx,
    sql`insert into scorecard_versions (subscription_id, version, definition, author_kind, author_id, author_name)
        select ${id}, version, definition, author_kind, author_id, author_name from scorecard_versions v
        where subscription_id = ${liveId} and exists (
          select from scorecard_stages s
          where s.subscription_id = v.subscription_id and s.version = v.version and s.stage = 'champion'
        )`,
  )
  await queryRows(
    trx,
    sql`insert into scorecard_stages (subscription_id, code, version, stage)
        select ${id}, code, version, stage from scorecard_stages
        where subscription_id = ${liveId} and stage = 'champion' and code <> ${TEST_MODE_CODE}`,
  )
  const version = await saveDefinition(trx, id, testModeScorecard(), actor)
  await promoteScorecard(trx, { subscriptionId: id, code: TEST_MODE_CODE, version })
  await recordAudit(trx, {
    subscriptionId: liveId,
    actor,
    action: 'subscription.test_mode',
    subject: String(id),
  })
  return id
}
