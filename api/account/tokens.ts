import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { z } from 'zod'
import { ALGORITHM, type SigningKeys } from './signing-keys.ts'

const ISSUER = 'inkling'
const AUDIENCE = 'inkling-api'

/** Maximum clock skew between web processes; a token issued further in the future is rejected. */
const MAX_SKEW_SECONDS = 30

/** Claims written by `issue`; jose checks expiry, issuer and audience. */
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

/** Claims of a login token. */
export interface TokenClaims {
  readonly subscriptionId: number
  readonly userId: number
  readonly sessionId: string
}

/** An issued token and its times. */
export interface IssuedToken {
  readonly token: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

/** Signs and verifies login tokens. @throws when the signing keys cannot be read. */
export interface Tokens {
  /** Issues a token that is valid for `ttlSeconds`, by default for the configured time. */
  issue(claims: TokenClaims, ttlSeconds?: number): Promise<IssuedToken>
  /** Returns the claims and expiry of a valid token; undefined for any other text. */
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

/** The unverified key id in a token's header; undefined where the token cannot be valid whatever key signed it. */
function kidOf(token: string): string | undefined {
  try {
    const { alg, kid } = decodeProtectedHeader(token)
    return alg === ALGORITHM && typeof kid === 'string' ? kid : undefined
  } catch {
    return undefined
  }
}
