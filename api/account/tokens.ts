import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { ALGORITHM, type SigningKeys } from './signing-keys.ts'

const ISSUER = 'inkling'
const AUDIENCE = 'inkling-api'

/** The clocks of two web processes may differ by so much; a token from further in the future is none of ours. */
const MAX_SKEW_SECONDS = 30

/** As `issue` writes them; times, issuer and audience are for jose to judge. */
const Claims = z.object({
  subscription: z.int32().positive(),
  sid: z.uuid(),
  sub: z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number),
  iat: z.number(),
  exp: z.number(),
})

/** What a login token says. */
export interface TokenClaims {
  readonly subscriptionId: number
  readonly userId: number
  readonly sessionId: string
}

/** A token as the login response shows it. */
export interface IssuedToken {
  readonly token: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

/** Signs and verifies login tokens. Both throw what kept them from the keys. */
export interface Tokens {
  /** A token that is valid from now, for so many seconds or for the configured time. */
  issue(claims: TokenClaims, ttlSeconds?: number): Promise<IssuedToken>
  /** The claims of a token of ours that is not expired, and when it will; undefined for anything else. */
  verify(token: string): Promise<(TokenClaims & { readonly expiresAt: Date }) | undefined>
}

/** @see RFC 7519, RFC 8725 */
export function openTokens(keys: SigningKeys, ttlMinutes: number): Tokens {
  return {
    async issue({ subscriptionId, userId, sessionId }, ttlSeconds = ttlMinutes * 60) {
      const { kid, key } = await keys.current()
      const issuedAt = Math.floor(Date.now() / 1_000)
      const expiresAt = issuedAt + ttlSeconds
      const token = await new SignJWT({ subscription: subscriptionId, sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(String(userId))
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key)
      return { token, issuedAt: new Date(issuedAt * 1_000), expiresAt: new Date(expiresAt * 1_000) }
    },

    async verify(token) {
      const kid = kidOf(token)
      const key = kid === undefined ? undefined : await keys.find(kid)
      if (!key) return undefined
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          requiredClaims: ['exp'],
        })
        const { data: claims } = Claims.safeParse(payload)
        if (!claims || claims.iat > Date.now() / 1_000 + MAX_SKEW_SECONDS) return undefined
        const { subscription: subscriptionId, sub: userId, sid: sessionId, exp } = claims
        return { subscriptionId, userId, sessionId, expiresAt: new Date(exp * 1_000) }
      } catch {
        return undefined
      }
    },
  }
}

/** The id of the key that a token names, ours or not; undefined for what is no token of ours whoever signed it. */
function kidOf(token: string): string | undefined {
  try {
    const { alg, kid } = decodeProtectedHeader(token)
    return alg === ALGORITHM && typeof kid === 'string' ? kid : undefined
  } catch {
    return undefined
  }
}
