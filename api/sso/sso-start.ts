import { z } from 'zod'
import {
  findSsoConnectionById,
  listSsoConnectionsOfDomain,
  type SsoConnection,
} from '../../db/sign-in/sso-connections.ts'
import { SSO_START } from '../account/sign-in.ts'
import { endpoint, Redirect } from '../http/endpoint.ts'
import { text } from '../http/text.ts'
import { ProviderUnavailable } from './fetch-provider.ts'
import { ProviderInvalid } from './providers.ts'
import { CALLBACK, type SsoDependencies } from './sso-dependencies.ts'
import { rejectSso, toSignInPage } from './sso-outcome.ts'

const StartQuery = z.object({
  connection: text(1, 100)
    .optional()
    .meta({
      description: 'Id of the connection, as in the sign-in link of a subscription',
      examples: ['0d3c9a52-7d0e-4b7b-8a43-2f6d0c1e9b10'],
    }),
  domain: text(1, 320)
    .optional()
    .meta({
      description: 'Instead: domain of the e-mail, which the operator has confirmed for a subscription',
      examples: ['lender.example'],
    }),
  subscription: text(1, 100)
    .optional()
    .meta({ description: 'With domain: name of the subscription, of several', examples: ['Acme Lending'] }),
  next: text(1, 500)
    .optional()
    .meta({ description: 'Path of the page that comes afterwards', examples: ['/datasets'] }),
})

/** A path of the portal, not an address of another host. */
const PATH = /^\/(?![/\\])\S*$/

/** Headers of a response that leads a browser on. */
export const LOCATION = {
  Location: z.string().meta({
    description: 'Where the browser goes on',
    examples: ['https://login.lender.example/authorize?client_id=inkling'],
  }),
}

/** Endpoint at which a browser begins to sign in. */
export const ssoStart = ({
  db,
  trail,
  providers,
  attempts,
  findRelyingParty,
  limitConcurrency,
}: SsoDependencies) => {
  async function listConnections({
    connection,
    domain,
    subscription,
  }: z.output<typeof StartQuery>): Promise<SsoConnection[]> {
    if (connection === undefined)
      return domain === undefined
        ? []
        : listSsoConnectionsOfDomain(db, domain.trim().toLowerCase(), subscription)
    if (!z.uuid().safeParse(connection).success) return []
    const found = await findSsoConnectionById(db, connection)
    return found ? [found] : []
  }

  return endpoint({
    method: 'get',
    path: SSO_START,
    operationId: 'startSso',
    idempotency: 'not_idempotent',
    tag: 'Account',
    summary: 'Leads a browser to the sign-in of the OpenID provider of a subscription',
    description:
      'For browsers, not for programs. Sets a cookie that binds the sign-in to this browser for 10 minutes. If it cannot begin, leads to ' +
      'the sign-in page of the portal, whose query parameter `sso` says why; nothing depends on whether there is a user.',
    credential: { kind: 'none' },
    query: StartQuery,
    waitMs: 6_000,
    response: { status: 303, description: 'To the provider', headers: LOCATION },
    problems: ['overloaded'],
    async act({ query, cookies, header, address }) {
      const next = query.next !== undefined && PATH.test(query.next) ? query.next : undefined
      const [connection, other] = await limitConcurrency(() => listConnections(query))
      if (!connection) return toSignInPage('unknown', { next })
      if (other) return toSignInPage('choose', { domain: query.domain, next })
      if (connection.suspended) return rejectSso(trail, connection, { reason: 'suspended', address, next })
      const party = findRelyingParty(header('host'))
      if (!party) return toSignInPage('unavailable', { next })
      const redirectUri = `${party.origin}${CALLBACK}/${connection.id}`
      try {
        const provider = await providers.find(connection)
        const expected = await attempts.begin(cookies, { connection, redirectUri, next, session: undefined })
        return new Redirect(await provider.signInUrl(expected))
      } catch (error) {
        return rejectSso(trail, connection, { ...explainProviderError(error), address, next })
      }
    },
  })
}

/** What the records say of an error of a provider. @throws any other error. */
export function explainProviderError(error: unknown) {
  if (error instanceof ProviderUnavailable)
    return { reason: 'sso_unavailable', problem: error.message } as const
  if (error instanceof ProviderInvalid) return { reason: 'sso_invalid', problem: error.message } as const
  throw error
}
