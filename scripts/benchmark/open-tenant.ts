import { fixedSigningKeys, makeSigningKey } from '../../api/account/signing-keys.ts'
import { openTokens } from '../../api/account/tokens.ts'
import { createApiKey } from '../../db/accounts/api-keys.ts'
import { createSubscription } from '../../db/accounts/subscriptions.ts'
import type { PrivateJwk } from '../../db/accounts/token-keys.ts'
import { createUser } from '../../db/accounts/users.ts'
import { type Db, queryRows } from '../../db/postgres/database.ts'
import { deployDemoScorecards } from '../scorecards/deploy-scorecard.ts'

/** A subscription with the credentials of its clients. */
export interface BenchTenant {
  readonly subscriptionId: number
  readonly uploaderKey: string
  /** Access tokens of one analyst, each with its own session. */
  readonly tokens: readonly string[]
}

/** Creates the signing key of both systems, so that the ceiling can check the same tokens. */
export const makeBenchSigningKey = makeSigningKey

/** Creates a subscription with this number of access tokens: one for cached and many for uncached reads. */
export async function openBenchTenant(
  db: Db,
  options: { name: string; tokens: number; signingKey: PrivateJwk },
): Promise<BenchTenant> {
  const { name, signingKey } = options
  const { id: subscriptionId } = await createSubscription(db, name)
  await deployDemoScorecards(db, subscriptionId)
  const { key: uploaderKey } = await createApiKey(db, { subscriptionId, role: 'uploader' })
  const email = `${name.toLowerCase()}@lender.example`
  const userId = await createUser(db, { subscriptionId, email, role: 'analyst', passwordHash: 'never used' })
  const sessions = await queryRows<{ id: string }>(
    db,
    `insert into sessions (subscription_id, id, user_id, expires_at)
     select ?, gen_random_uuid(), ?, now() + interval '1 day' from generate_series(1, ?) returning id`,
    [subscriptionId, userId, options.tokens],
  )
  const issuer = openTokens(await fixedSigningKeys([signingKey]), 600)
  const tokens: string[] = []
  for (const { id: sessionId } of sessions)
    tokens.push((await issuer.issue({ subscriptionId, userId, sessionId })).token)
  return { subscriptionId, uploaderKey, tokens }
}
