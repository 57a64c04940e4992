import {
  findSsoConnection,
  findSsoId,
  removeSsoConnection,
  type SsoConnection,
  type SsoRejection,
  saveSsoConnection,
} from '../../db/sign-in/sso-connections.ts'
import { SSO_START } from '../account/sign-in.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { CALLBACK, type SsoDependencies } from './sso-dependencies.ts'
import { LAST_ADMIN_OF_SSO, SSO_REJECTIONS } from './sso-rejections.ts'
import { SsoChange, SsoState } from './sso-schemas.ts'
import { explainProviderError } from './sso-start.ts'

const PATH = '/api/sso/v1'

const ADMIN = { kind: 'login', roles: ['admin'] } as const

/** Endpoints by which admins set up single sign-on. */
export function manageSso({ db, vault, providers, findRelyingParty }: SsoDependencies) {
  async function present(
    subscriptionId: number,
    connection: SsoConnection | undefined,
    host: string | undefined,
  ) {
    const origin = findRelyingParty(host)?.origin ?? ''
    const id = connection?.id ?? (await findSsoId(db, subscriptionId))
    return {
      connection: connection ? settingsOf(connection) : null,
      signInUrl: `${origin}${SSO_START}?connection=${id}`,
      redirectUri: `${origin}${CALLBACK}/${id}`,
      signOutRedirectUri: `${origin}/login`,
    }
  }

  /** @returns the issuer as the provider writes it. */
  async function requireIssuer(issuer: string): Promise<string> {
    try {
      return await providers.checkIssuer(issuer)
    } catch (error) {
      const { problem } = explainProviderError(error)
      throw new Problem('validation_failed', { errors: { issuer: [`is not usable: ${problem}`] } })
    }
  }

  return [
    endpoint({
      method: 'get',
      path: PATH,
      operationId: 'showSso',
      tag: 'Single sign-on',
      summary: 'Returns the settings of single sign-on',
      description: 'Without the client secret. The addresses exist before there are settings.',
      credential: ADMIN,
      response: { status: 200, description: 'The settings', schema: SsoState },
      problems: [],
      async act({ caller: { subscriptionId }, header }) {
        return present(subscriptionId, await findSsoConnection(db, subscriptionId), header('host'))
      },
    }),
    endpoint({
      method: 'put',
      path: PATH,
      operationId: 'changeSso',
      tag: 'Single sign-on',
      summary: 'Sets up single sign-on, or changes its settings',
      description:
        'Reads the metadata of a new issuer. `passwordLogin` can become false once the admin who changes it has signed in by the settings ' +
        'as they are; then the other sessions of the users in question end, and issuer and client id stay. Recorded in the audit log.',
      credential: ADMIN,
      stepUp: 'with_factor',
      body: SsoChange,
      waitMs: 6_000,
      response: { status: 200, description: 'The settings', schema: SsoState },
      problems: ['conflict'],
      async act({ caller: { subscriptionId, sessionId }, actor, body, header }) {
        const { clientSecret, roleClaim = null, defaultRole = null, ...rest } = body
        const before = await findSsoConnection(db, subscriptionId)
        const issuer = before?.issuer === body.issuer ? before.issuer : await requireIssuer(body.issuer)
        const saved = await saveSsoConnection(
          { db, vault },
          {
            subscriptionId,
            actor,
            sessionId,
            settings: { ...rest, roleClaim, defaultRole, issuer },
            clientSecret,
          },
        )
        if (typeof saved === 'string') throw problemOf(saved)
        return present(subscriptionId, saved, header('host'))
      },
    }),
    endpoint({
      method: 'delete',
      path: PATH,
      operationId: 'removeSso',
      tag: 'Single sign-on',
      summary: 'Removes single sign-on',
      description:
        'Users without a password then need a link to set one. Rejected unless an admin has a password. Recorded in the audit log.',
      credential: ADMIN,
      stepUp: 'with_factor',
      response: { status: 204, description: 'There is no single sign-on' },
      problems: ['conflict'],
      async act({ caller: { subscriptionId }, actor }) {
        const removed = await removeSsoConnection(db, { subscriptionId, actor })
        if (removed === 'last_admin') throw new Problem('conflict', { detail: LAST_ADMIN_OF_SSO })
      },
    }),
  ]
}

function settingsOf(connection: SsoConnection) {
  const { subscriptionId, subscriptionName, suspended, id, configuredAt, ...settings } = connection
  return settings
}

const problemOf = (rejection: SsoRejection): Problem =>
  rejection === 'secret_required'
    ? new Problem('validation_failed', { errors: { clientSecret: ['is required'] } })
    : new Problem('conflict', { detail: SSO_REJECTIONS[rejection] })
