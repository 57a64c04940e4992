import { z } from 'zod'
import { findSsoConnection } from '../../db/sign-in/sso-connections.ts'
import { findSessionTraits } from '../../db/sign-in/step-up.ts'
import { type Cookies, endpoint } from '../http/endpoint.ts'
import type { SsoDependencies } from './sso-dependencies.ts'
import { explainProviderError } from './sso-start.ts'

const PATH = '/api/account/v1/sso/sign-out'

/** Keeps the token by which the provider recognises the session to end. It stays in the browser: the service stores none. */
const ID_TOKEN_COOKIE = '__Secure-inkling-sso-id'

/** Browsers store 4 KB of a cookie; without it the provider asks the user. */
const MAX_TOKEN_CHARACTERS = 3_500

/** As long as a session lasts at most. */
const TOKEN_SECONDS = 30 * 24 * 3_600

export function keepIdToken(cookies: Cookies, idToken: string): void {
  const fits = idToken.length <= MAX_TOKEN_CHARACTERS
  cookies.set({
    ...{ name: ID_TOKEN_COOKIE, path: PATH },
    ...(fits ? { value: idToken, maxAgeSeconds: TOKEN_SECONDS } : { value: '', maxAgeSeconds: 0 }),
  })
}

/** Endpoint that tells the portal where the user also signs out of the provider. */
export const ssoSignOut = ({ db, providers, findRelyingParty }: SsoDependencies) =>
  endpoint({
    method: 'post',
    path: PATH,
    operationId: 'beginSsoSignOut',
    idempotency: 'not_idempotent',
    tag: 'Account',
    summary: 'Returns where the user signs out of the OpenID provider',
    description:
      'For the portal, before it ends the session: the browser goes on to this address. null for a session that began otherwise, and ' +
      'where the provider has no such page.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    waitMs: 6_000,
    response: {
      status: 200,
      description: 'The address',
      schema: z
        .object({
          signOutUrl: z
            .string()
            .nullable()
            .meta({
              description: 'Address of the provider',
              examples: ['https://login.lender.example/session/end?client_id=inkling'],
            }),
        })
        .meta({ id: 'SsoSignOut' }),
    },
    problems: [],
    async act({ caller, cookies, header }) {
      const idToken = cookies.find(ID_TOKEN_COOKIE)
      cookies.set({ name: ID_TOKEN_COOKIE, path: PATH, value: '', maxAgeSeconds: 0 })
      const { singleSignOn } = await findSessionTraits(db, caller)
      const connection = singleSignOn ? await findSsoConnection(db, caller.subscriptionId) : undefined
      const party = findRelyingParty(header('host'))
      if (!connection || !party) return { signOutUrl: null }
      try {
        const provider = await providers.find(connection)
        return { signOutUrl: provider.signOutUrl({ idToken, returnTo: `${party.origin}/login` }) ?? null }
      } catch (error) {
        explainProviderError(error)
        return { signOutUrl: null } // the session of this service ends in any case
      }
    },
  })
