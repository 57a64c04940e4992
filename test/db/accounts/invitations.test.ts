import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueInvitation } from '../../../db/accounts/invitations.ts'
import { createSubscription } from '../../../db/accounts/subscriptions.ts'
import { renewInvitation } from '../../../db/accounts/user-accounts.ts'
import { createUser } from '../../../db/accounts/users.ts'
import { type Db, openDatabase } from '../../../db/postgres/database.ts'
import { anActor } from '../../support/actors.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'

let stored: TestDatabase
let db: Db

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 4 })
})
afterAll(async () => {
  await db.destroy()
  await stored.drop()
})

test('an invitation can be accepted while an admin renews it, without a deadlock', async () => {
  const { id: subscriptionId } = await createSubscription(db, 'Renewing')
  const email = 'ann@lender.example'
  const userId = await createUser(db, { subscriptionId, email, role: 'analyst', passwordHash: 'none' })
  const issuer = anActor('admin')
  const { token } = await db.transaction((trx) => issueInvitation(trx, { subscriptionId, userId, issuer }))

  const renewed = await db.transaction(async (accepting) => {
    // the two steps of accepting, with the renewal in between
    await accepting('invitations')
      .where({ token_hash: createHash('sha256').update(token).digest() })
      .delete()
    const renewing = renewInvitation(db, { subscriptionId, id: userId, actor: issuer })
    await untilWaiting()
    await accepting('users')
      .where({ subscription_id: subscriptionId, id: userId })
      .update({ password_hash: 'new' })
    return { renewing }
  })
  expect(await renewed.renewing).toMatchObject({ id: userId })
})

/** Waits until a statement waits for a lock. */
async function untilWaiting(): Promise<void> {
  for (;;) {
    const { rows } = await db.raw(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    if (rows.length > 0) return
    await delay(10)
  }
}
