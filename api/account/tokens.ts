import { z } from 'zod'
import { type IssuedToken, signToken, verifyToken } from './signed-tokens.ts'
import type { SigningKeys } from './signing-keys.ts'

const AUDIENCE = 'inkling-api'

/** Claims written by `issue`; the times and the audience are verified before. */
const Claims = z.object({
  subscription: z.int32().positive(),
  sid: z.uuid(),
  sub: z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number),
  exp: z.number(),
})

/** Claims of a login token. */
export interface TokenClaims {
  readonly subscriptionId: number
  readonly userId: number
  readonly sessionId: string
}

/** Signs and verifies login tokens. @throws when the signing keys cannot be read. */
export interface Tokens {
  /** Issues a token that is valid for `ttlSeconds`, by default for the configured time. */
  issue(claims: TokenClaims, ttlSeconds?: number): Promise<IssuedToken>
  /** Returns the claims and expiry of a valid token; undefined for any other text. */
  verify(token: string): Promise<(TokenClaims & { readonly expiresAt: Date }) | undefined>
}

export function openTokens(keys: SigningKeys, ttlMinutes: number): Tokens {
  return {
    issue: ({ subscriptionId, userId, sessionId }, ttlSeconds = ttlMinutes * 60) =>
      signToken(
        keys,
        AUDIENCE,
        { subscription: subscriptionId, sid: sessionId, sub: String(userId) },
        ttlSeconds,
      ),

    async verify(token) {
      const { data: claims } = Claims.safeParse(await verifyToken(keys, AUDIENCE, token))
      if (!claims) return undefined
      const { subscription: subscriptionId, sub: userId, sid: sessionId, exp } = claims
      return { subscriptionId, userId, sessionId, expiresAt: new Date(exp * 1_000) }
    },
  }
}
