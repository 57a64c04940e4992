import { z } from 'zod'
import { findSsoConnection } from '../../db/sign-in/sso-connections.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { CALLBACK, type SsoDependencies } from './sso-dependencies.ts'
import { explainProviderError } from './sso-start.ts'

/** Endpoint by which the user of a session begins to prove at the provider who they are. */
export const ssoStepUp = ({ db, providers, attempts, findRelyingParty }: SsoDependencies) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/step-up/sso',
    operationId: 'beginSsoStepUp',
    idempotency: 'not_idempotent',
    tag: 'Account',
    summary: 'Begins a step-up by single sign-on',
    description:
      'For browsers: the user signs in to the provider again at the returned address, in a window of its own. Afterwards, for 10 ' +
      'minutes, the session passes the routes that answer `step_up_required`. Sets the cookie that binds the answer to this browser.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    waitMs: 6_000,
    response: {
      status: 200,
      description: 'Where the user signs in again',
      schema: z
        .object({
          url: z.string().meta({
            description: 'Address of the provider',
            examples: ['https://login.lender.example/authorize?client_id=inkling&prompt=login&max_age=0'],
          }),
        })
        .meta({ id: 'SsoStepUp' }),
    },
    problems: ['conflict'],
    async act({ caller: { subscriptionId, userId, sessionId, email }, cookies, header }) {
      const connection = await findSsoConnection(db, subscriptionId)
      const party = findRelyingParty(header('host'))
      if (!connection || !party)
        throw new Problem('conflict', { detail: 'Your subscription has no single sign-on' })
      const redirectUri = `${party.origin}${CALLBACK}/${connection.id}`
      const session = { id: sessionId, subscriptionId, userId, email }
      try {
        const provider = await providers.find(connection)
        const expected = await attempts.begin(cookies, { connection, redirectUri, next: undefined, session })
        return { url: await provider.signInUrl(expected) }
      } catch (error) {
        const { problem } = explainProviderError(error)
        throw new Problem('conflict', {
          detail: `The provider of your subscription is not usable: ${problem}`,
        })
      }
    },
  })
