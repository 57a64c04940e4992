import { z } from 'zod'
import { findSsoConnectionById, type SsoConnection } from '../../db/sign-in/sso-connections.ts'
import { findUserOfIdentity, signInBySso } from '../../db/sign-in/sso-users.ts'
import { recordStepUp } from '../../db/sign-in/step-up.ts'
import { SET_COOKIE } from '../account/session-response.ts'
import { AFTER_SSO } from '../factors/require-second-factor.ts'
import { type Cookies, endpoint, Redirect } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { text } from '../http/text.ts'
import type { Attempt } from './attempts.ts'
import type { SignedInAtProvider } from './providers.ts'
import { emailOf, hasSecondFactor, roleOf } from './read-claims.ts'
import { CALLBACK, type SsoDependencies } from './sso-dependencies.ts'
import { queryOf, rejectSso, type SsoRejection, toSignInPage } from './sso-outcome.ts'
import { keepIdToken } from './sso-sign-out.ts'
import { explainProviderError, LOCATION } from './sso-start.ts'

/** Parameters of an authentication response. Codes are opaque, and long at some providers. @see RFC 6749, section 4.1.2; RFC 9207 */
const CallbackQuery = z.object({
  code: text(1, 8_000)
    .optional()
    .meta({ description: 'Authorization code', examples: ['SplxlOBeZQQYbYS6WxSbIA'] }),
  state: text(1, 500)
    .optional()
    .meta({
      description: 'As sent to the provider',
      examples: ['Zr0cPq1nA5vYw3uJk8sT2mXe7bLd4fHg6iOaN9yCzQs'],
    }),
  iss: text(1, 500)
    .optional()
    .meta({ description: 'Issuer that answers', examples: ['https://login.lender.example'] }),
  error: text(1, 200)
    .optional()
    .meta({ description: 'Error of the provider', examples: ['access_denied'] }),
})

/** Where a request comes from. */
interface From {
  readonly host: string | undefined
  readonly address: string | undefined
  readonly userAgent: string | undefined
}

/** Endpoint to which the provider sends a browser back. */
export const ssoCallback = (dependencies: SsoDependencies) => {
  const { db, trail, providers, attempts, beginSession, requireSecondFactor, limitConcurrency } = dependencies

  /** Signs the person in whom the provider describes. */
  async function signIn(
    connection: SsoConnection,
    { claims, subject, idToken }: SignedInAtProvider,
    { next }: Attempt,
    { host, address, userAgent }: From,
    cookies: Cookies,
  ): Promise<Redirect> {
    const email = typeof claims.email === 'string' ? claims.email.slice(0, 320) : undefined
    const reject = (rejection: Pick<SsoRejection, 'reason' | 'userId'>) =>
      rejectSso(trail, connection, { ...rejection, email, address, next })
    const role = roleOf(claims, connection)
    if (role === 'rejected') return reject({ reason: 'sso_role' })
    const signedIn = await signInBySso(db, connection, { subject, email: emailOf(claims, connection), role })
    if ('denied' in signedIn) return reject({ reason: signedIn.denied, userId: signedIn.userId })
    const { user } = signedIn
    const hasFactor = connection.trustsFactors || hasSecondFactor(claims)
    if (!hasFactor)
      try {
        await requireSecondFactor(user, host, AFTER_SSO)
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'second_factor_required') throw error
        // in the fragment, which is sent to no server
        const asked = Buffer.from(JSON.stringify(error.options.members)).toString('base64url')
        return new Redirect(`/login?${queryOf({ sso: 'factor', next })}#${asked}`)
      }
    const method = hasFactor ? 'sso+mfa' : 'sso'
    await beginSession.withCookies(user, { method, address, userAgent }, cookies)
    keepIdToken(cookies, idToken)
    return new Redirect(`/login?${queryOf({ sso: 'done', next })}`)
  }

  /** Records that the user of a session has proved who they are. */
  async function stepUp(
    connection: SsoConnection,
    { subject }: SignedInAtProvider,
    session: NonNullable<Attempt['session']>,
    address: string | undefined,
  ): Promise<Redirect> {
    const { subscriptionId } = connection
    const userId = await findUserOfIdentity(db, connection, subject)
    if (userId !== session.userId || subscriptionId !== session.subscriptionId)
      return rejectSso(trail, connection, { reason: 'sso_identity', address, isStepUp: true, userId })
    await recordStepUp(db, { subscriptionId, sessionId: session.id })
    trail.note({
      ...{ subscriptionId, action: 'session.step_up', subject: session.id, detail: { method: 'sso' } },
      actor: { kind: 'user', id: userId, name: session.email, address },
    })
    return new Redirect('/confirmed')
  }

  return endpoint({
    method: 'get',
    path: `${CALLBACK}/:connection`,
    operationId: 'completeSso',
    idempotency: 'not_idempotent',
    tag: 'Account',
    summary: 'Completes the sign-in of a browser at an OpenID provider',
    description:
      'The redirect URI to register at the provider. Each answer counts once, within 10 minutes, and in the browser that began. Leads to ' +
      'a page of the portal, with the cookies of a browser session if the sign-in was successful.',
    credential: { kind: 'none' },
    params: {
      connection: z.string().meta({
        description: 'Id of the connection',
        examples: ['0d3c9a52-7d0e-4b7b-8a43-2f6d0c1e9b10'],
      }),
    },
    query: CallbackQuery,
    waitMs: 15_000,
    response: { status: 303, description: 'To the portal', headers: { ...LOCATION, ...SET_COOKIE } },
    problems: ['overloaded'],
    async act({ params, query, cookies, header, address, userAgent }) {
      const id = z.uuid().safeParse(params.connection).data
      const connection = id && (await limitConcurrency(() => findSsoConnectionById(db, id)))
      if (!connection) return toSignInPage('unknown')
      const attempt = await attempts.take(cookies, connection, query.state)
      if (!attempt) return rejectSso(trail, connection, { reason: 'sso_state', address })
      const { expected, next, session } = attempt
      const context = { address, next, isStepUp: expected.isStepUp }
      if (connection.suspended) return rejectSso(trail, connection, { reason: 'suspended', ...context })
      if (query.error !== undefined) {
        const problem = query.error.replaceAll(/[^\w .-]/g, '?')
        return rejectSso(trail, connection, { reason: 'sso_refused', problem, ...context })
      }
      let signedIn: SignedInAtProvider
      try {
        const provider = await providers.find(connection)
        signedIn = await provider.complete(new URL(`${expected.redirectUri}?${queryOf(query)}`), expected)
      } catch (error) {
        return rejectSso(trail, connection, { ...explainProviderError(error), ...context })
      }
      return limitConcurrency(() =>
        session
          ? stepUp(connection, signedIn, session, address)
          : signIn(connection, signedIn, attempt, { host: header('host'), address, userAgent }, cookies),
      )
    },
  })
}
