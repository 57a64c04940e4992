import { z } from 'zod'
import type { AdditionalInfo } from '../../db/datasets/datasets.ts'
import { type IssuedToken, signToken, verifyToken } from '../account/signed-tokens.ts'
import type { SigningKeys } from '../account/signing-keys.ts'

const AUDIENCE = 'inkling-collection'

/** Upper bound of a token's lifetime. */
export const MAX_TOKEN_MINUTES = 240

const Claims = z.object({
  subscription: z.int32().positive(),
  ref: z.string(),
  origin: z.string(),
  info: z.record(z.string(), z.string()).default({}),
  jti: z.uuid(),
  iat: z.number(),
  exp: z.number(),
})

/** What a backend vouches for. */
export interface CollectionClaims {
  readonly subscriptionId: number
  readonly referenceNumber: string
  /** Origin of the page that may use the token. */
  readonly origin: string
  readonly additionalInfo: AdditionalInfo
}

/** Signs and verifies the tokens by which backends let pages open collections. @throws when the signing keys cannot be read. */
export interface CollectionTokens {
  issue(claims: CollectionClaims, ttlMinutes: number): Promise<IssuedToken>
  /** Returns the claims and the id of a valid token; undefined for any other text. */
  verify(token: string): Promise<(CollectionClaims & { readonly tokenId: string }) | undefined>
}

export function openCollectionTokens(keys: SigningKeys): CollectionTokens {
  return {
    issue({ subscriptionId, referenceNumber, origin, additionalInfo }, ttlMinutes) {
      const claims = { subscription: subscriptionId, ref: referenceNumber, origin, info: additionalInfo }
      return signToken(keys, AUDIENCE, { ...claims, jti: crypto.randomUUID() }, ttlMinutes * 60)
    },

    async verify(token) {
      const { data: claims } = Claims.safeParse(await verifyToken(keys, AUDIENCE, token))
      if (!claims || claims.exp - claims.iat > MAX_TOKEN_MINUTES * 60) return undefined
      const { subscription: subscriptionId, ref: referenceNumber, origin, info: additionalInfo } = claims
      return { subscriptionId, referenceNumber, origin, additionalInfo, tokenId: claims.jti }
    },
  }
}
