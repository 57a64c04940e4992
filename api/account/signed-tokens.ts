import type { JWTPayload } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { ALGORITHM, type SigningKeys } from './signing-keys.ts'

const ISSUER = 'inkling'

/** Maximum clock skew between web processes; a token issued further in the future is rejected. */
const MAX_SKEW_SECONDS = 30

/** What a token is for: one for another audience is not accepted. */
export type Audience = 'inkling-api' | 'inkling-collection' | 'inkling-challenge'

/** An issued token and its times. */
export interface IssuedToken {
  readonly token: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

/** Signs a token that is valid for `ttlSeconds`. @see RFC 7519, RFC 8725 */
export async function signToken(
  keys: SigningKeys,
  audience: Audience,
  claims: JWTPayload,
  ttlSeconds: number,
): Promise<IssuedToken> {
  const { kid, key } = await keys.current()
  const issuedAt = Math.floor(Date.now() / 1_000)
  const expiresAt = issuedAt + ttlSeconds
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(key)
  return { token, issuedAt: new Date(issuedAt * 1_000), expiresAt: new Date(expiresAt * 1_000) }
}

/** Returns the claims of a valid token; undefined for any other text. */
export async function verifyToken(
  keys: SigningKeys,
  audience: Audience,
  token: string,
): Promise<JWTPayload | undefined> {
  const kid = kidOf(token)
  const key = kid === undefined ? undefined : await keys.find(kid)
  if (!key) return undefined
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience,
      requiredClaims: ['exp', 'iat'],
    })
    return (payload.iat ?? Infinity) > Date.now() / 1_000 + MAX_SKEW_SECONDS ? undefined : payload
  } catch {
    return undefined
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
