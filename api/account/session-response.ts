import { z } from 'zod'
import { findSubscriptionName } from '../../db/accounts/subscriptions.ts'
import type { UserRole as Role } from '../../db/accounts/users.ts'
import type { Db } from '../../db/postgres/database.ts'
import { findSessionTraits } from '../../db/sign-in/step-up.ts'
import { UserRole } from '../users/user-schemas.ts'
import { type BrowserTimes, TOKEN_COOKIE } from './session-cookies.ts'

export const Session = z
  .object({
    userId: z.int().meta({ description: 'Id of the user', examples: [42] }),
    sessionId: z
      .string()
      .meta({ description: 'Id of the session', examples: ['3f1c9a52-7d0e-4b7b-8a43-2f6d0c1e9b10'] }),
    email: z.string().meta({ description: 'E-mail of the user', examples: ['analyst@lender.example'] }),
    role: UserRole,
    subscription: z.string().meta({ description: 'Name of the subscription', examples: ['Acme Lending'] }),
    tokenSeconds: z
      .int()
      .meta({ description: 'Seconds until the token expires; refresh it before then', examples: [600] }),
    idleSeconds: z.int().meta({
      description: 'Idle timeout: seconds without user activity after which the portal signs out',
      examples: [1_800],
    }),
    factorMissing: z.boolean().meta({
      description:
        'Whether the policy of the subscription requires a second factor that the user has not added yet: the portal then shows ' +
        'nothing else',
      examples: [false],
    }),
    singleSignOn: z
      .boolean()
      .meta({ description: 'Whether the session began by single sign-on', examples: [false] }),
  })
  .meta({ id: 'Session' })

/** Description of the cookies of a browser session. */
export const COOKIES =
  'For browsers: the tokens are cookies that scripts cannot read (HttpOnly, Secure, SameSite=Strict). Send X-Inkling-Portal: 1 with ' +
  'every request; requests from other sites are rejected.'

/** Headers of a response that sets them. */
export const SET_COOKIE = {
  'Set-Cookie': z.string().meta({
    description: 'One cookie per token: HttpOnly, Secure and SameSite=Strict',
    examples: [`${TOKEN_COOKIE}=…; Path=/; HttpOnly; Secure; SameSite=Strict`],
  }),
}

/** Identity in the token of a session. */
export interface SessionIdentity {
  readonly subscriptionId: number
  readonly userId: number
  readonly sessionId: string
  readonly email: string
  readonly role: Role
}

/** Returns a browser session as its endpoints do. */
export async function presentSession(
  db: Db,
  times: BrowserTimes,
  { subscriptionId, userId, sessionId, email, role }: SessionIdentity,
  tokenExpiresAt: Date,
): Promise<z.output<typeof Session>> {
  const tokenSeconds = Math.max(0, Math.floor((tokenExpiresAt.getTime() - Date.now()) / 1_000))
  const subscription = await findSubscriptionName(db, subscriptionId)
  const traits = await findSessionTraits(db, { subscriptionId, userId, sessionId })
  const { idleSeconds } = times
  return { userId, sessionId, email, role, subscription, tokenSeconds, idleSeconds, ...traits }
}
