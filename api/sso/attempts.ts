import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Db } from '../../db/postgres/database.ts'
import type { SsoConnection } from '../../db/sign-in/sso-connections.ts'
import { takeChallenge } from '../../db/sign-in/used-challenges.ts'
import { type Challenges, SSO_SECONDS } from '../factors/challenges.ts'
import type { Cookies } from '../http/endpoint.ts'
import type { Expected } from './providers.ts'

/** Binds a sign-in to the browser that began it. Lax: the browser comes back from another site. */
const ATTEMPT_COOKIE = '__Host-inkling-sso'

const Data = z.object({
  connection: z.uuid(),
  configuredAt: z.string(),
  codeVerifier: z.string(),
  redirectUri: z.string(),
  next: z.string().optional(),
  sessionId: z.uuid().optional(),
  email: z.string().optional(),
})

/** A sign-in at a provider that a browser has begun. */
export interface Attempt {
  readonly connection: SsoConnection
  readonly expected: Expected
  /** Page of the portal that comes afterwards. */
  readonly next: string | undefined
  /** Whose proof it is, for a step-up. */
  readonly session:
    | {
        readonly id: string
        readonly subscriptionId: number
        readonly userId: number
        readonly email: string
      }
    | undefined
}

/**
 * Begins sign-ins, and takes each back once, within 10 minutes and from the browser that began it.
 *
 * An attempt is a signed token in a cookie, so that nothing is stored for browsers that never come back; the id of one that came back
 * is stored until it expires.
 */
export interface Attempts {
  /** @param session the session whose user has to prove who they are. */
  begin(
    cookies: Cookies,
    attempt: Omit<Attempt, 'expected'> & { readonly redirectUri: string },
  ): Promise<Expected>
  /** Uses up the attempt of this browser; undefined unless the provider answers this one, for the first time. */
  take(cookies: Cookies, connection: SsoConnection, state: string | undefined): Promise<Attempt | undefined>
}

/** The nonce of an attempt: the verifier never leaves this service and the browser's cookie before the exchange. */
const nonceOf = (codeVerifier: string) =>
  createHash('sha256').update(`nonce ${codeVerifier}`).digest('base64url')

export function openAttempts({ db, challenges }: { db: Db; challenges: Challenges }): Attempts {
  return {
    async begin(cookies, { connection, redirectUri, next, session }) {
      const codeVerifier = randomBytes(32).toString('base64url')
      const { id, configuredAt } = connection
      const data = {
        connection: id,
        configuredAt,
        codeVerifier,
        redirectUri,
        next,
        sessionId: session?.id,
        email: session?.email,
      }
      const purpose = session ? 'sso_step_up' : 'sso'
      const { id: state, challenge } = await challenges.issue(purpose, {
        ...(session && { subject: session }),
        data: JSON.stringify(data),
      })
      const cookie = { name: ATTEMPT_COOKIE, path: '/', sameSite: 'Lax' } as const
      cookies.set({ ...cookie, value: challenge, maxAgeSeconds: SSO_SECONDS })
      return {
        state,
        nonce: nonceOf(codeVerifier),
        codeVerifier,
        redirectUri,
        isStepUp: session !== undefined,
      }
    },

    async take(cookies, connection, state) {
      const presented = cookies.find(ATTEMPT_COOKIE)
      if (presented === undefined || state === undefined) return undefined
      const signIn = await challenges.verify('sso', presented)
      const stepUp = signIn ? undefined : await challenges.verify('sso_step_up', presented)
      const challenge = signIn ?? stepUp
      if (challenge?.id !== state) return undefined
      const data = Data.parse(JSON.parse(challenge.data ?? ''))
      // the answer of another connection's provider, or of one that an admin has changed meanwhile
      if (data.connection !== connection.id || data.configuredAt !== connection.configuredAt) return undefined
      cookies.set({ name: ATTEMPT_COOKIE, value: '', path: '/', maxAgeSeconds: 0, sameSite: 'Lax' })
      const { subscriptionId } = connection
      if (!(await takeChallenge(db, { ...challenge, subscriptionId }))) return undefined
      const { codeVerifier, redirectUri, next, sessionId, email = '' } = data
      const { subject } = challenge
      return {
        connection,
        expected: {
          ...{ state, nonce: nonceOf(codeVerifier), codeVerifier, redirectUri },
          isStepUp: stepUp !== undefined,
        },
        next,
        session: subject && sessionId !== undefined ? { ...subject, id: sessionId, email } : undefined,
      }
    },
  }
}
