import { createLocalJWKSet, exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import type { Db } from '../../db/database.ts'
import { keepFirstTokenKey, type PrivateJwk } from '../../db/token-keys.ts'

const ISSUER = 'inkling'
const AUDIENCE = 'inkling-api'
const ALGORITHM = 'EdDSA'

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

/** Signs and verifies login tokens. */
export interface Tokens {
  /** A token that is valid for the configured time from now, in whole seconds. */
  issue(claims: TokenClaims): Promise<IssuedToken>
  /** The claims of a token of ours that is not expired; undefined for anything else. */
  verify(token: string): Promise<TokenClaims | undefined>
}

/** Makes an Ed25519 key pair for signing, as a private JSON Web Key. */
export async function makeSigningKey(): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true, crv: 'Ed25519' })
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: ALGORITHM, use: 'sig' }
}

/** The configured keys or, where there are none, those kept in the database, after keeping a first one. */
export async function loadSigningKeys(
  db: Db,
  configured: readonly PrivateJwk[] | undefined,
): Promise<readonly PrivateJwk[]> {
  return configured ?? keepFirstTokenKey(db, await makeSigningKey())
}

/**
 * Opens tokens over private keys: the first one signs, all of them verify, so that a new key can be put in front
 * without logging anyone out.
 *
 * @see RFC 7519, RFC 8037
 */
export async function openTokens(privateJwks: readonly PrivateJwk[], ttlMinutes: number): Promise<Tokens> {
  const [first] = privateJwks
  if (!first) throw new Error('There is no key to sign tokens with')
  const signingKey = await importJWK(first as JWK, ALGORITHM)
  const publicKeys = createLocalJWKSet({ keys: privateJwks.map(({ d, ...publicJwk }) => publicJwk as JWK) })

  return {
    async issue({ subscriptionId, userId, sessionId }) {
      const issuedAt = Math.floor(Date.now() / 1_000)
      const expiresAt = issuedAt + ttlMinutes * 60
      const token = await new SignJWT({ subscription: subscriptionId, sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, kid: first.kid, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(String(userId))
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(signingKey)
      return { token, issuedAt: new Date(issuedAt * 1_000), expiresAt: new Date(expiresAt * 1_000) }
    },

    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, publicKeys, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          requiredClaims: ['exp', 'sub', 'sid', 'subscription'],
        })
        const { subscription, sid, sub } = payload
        if (typeof subscription !== 'number' || typeof sid !== 'string') return undefined
        return { subscriptionId: subscription, userId: Number(sub), sessionId: sid }
      } catch {
        return undefined
      }
    },
  }
}
