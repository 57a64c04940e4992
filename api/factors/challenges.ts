import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { signToken, verifyToken } from '../account/signed-tokens.ts'
import type { SigningKeys } from '../account/signing-keys.ts'

const AUDIENCE = 'inkling-challenge'

/** What the answer to a challenge is for; an answer for another purpose is not accepted. */
export type Purpose =
  | 'register_totp'
  | 'register_passkey'
  | 'second_factor'
  | 'passkey_login'
  | 'step_up'
  | 'sso'
  | 'sso_step_up'
  | 'operator_action'

/** Lifetime of a challenge: a person has to find their telephone. */
const CHALLENGE_SECONDS = 5 * 60

/** Lifetime of a sign-in at a provider, whose pages may have several steps. */
export const SSO_SECONDS = 10 * 60

const Claims = z.object({
  jti: z.string().regex(/^[\w-]{43}$/),
  exp: z.number(),
  purpose: z.string(),
  subscription: z.int32().positive().optional(),
  sub: z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .optional(),
  data: z.string().max(2_000).optional(),
})

/** The user whose challenge it is; nobody's before a sign-in with a passkey alone. */
interface Subject {
  readonly subscriptionId: number
  readonly userId: number
}

/** A challenge that the service issued and that has not expired. */
export interface Challenge {
  /** 256 random bits in base64url: also the challenge that an authenticator signs. */
  readonly id: string
  readonly subject: Subject | undefined
  /** What the issuer kept in it: readable by the client, not changeable. */
  readonly data: string | undefined
  readonly expiresAt: Date
}

/**
 * Issues and verifies challenges. They are signed, so that no row is stored for a client that never answers; the one that uses
 * an answer stores its id.
 *
 * @throws when the signing keys cannot be read.
 */
export interface Challenges {
  issue(
    purpose: Purpose,
    options?: { readonly subject?: Subject; readonly data?: string },
  ): Promise<{ readonly id: string; readonly challenge: string }>
  /** Returns a valid challenge of this purpose; undefined for any other text. */
  verify(purpose: Purpose, challenge: string): Promise<Challenge | undefined>
}

export function openChallenges(keys: SigningKeys): Challenges {
  return {
    async issue(purpose, { subject, data } = {}) {
      const id = randomBytes(32).toString('base64url')
      const claims = {
        jti: id,
        purpose,
        ...(subject && { subscription: subject.subscriptionId, sub: String(subject.userId) }),
        ...(data !== undefined && { data }),
      }
      const seconds = purpose.startsWith('sso') ? SSO_SECONDS : CHALLENGE_SECONDS
      return { id, challenge: (await signToken(keys, AUDIENCE, claims, seconds)).token }
    },

    async verify(purpose, challenge) {
      const { data: claims } = Claims.safeParse(await verifyToken(keys, AUDIENCE, challenge))
      if (!claims || claims.purpose !== purpose) return undefined
      const { subscription: subscriptionId, sub: userId } = claims
      return {
        id: claims.jti,
        subject:
          subscriptionId !== undefined && userId !== undefined ? { subscriptionId, userId } : undefined,
        data: claims.data,
        expiresAt: new Date(claims.exp * 1_000),
      }
    },
  }
}
