import type { Db } from '../../../db/postgres/database.ts'
import { findSsoId } from '../../../db/sign-in/sso-connections.ts'
import type { LyingProvider } from './lying-provider.ts'

/** Resources of single sign-on for the requests of all routes. */
export interface SsoSubject {
  /** Id in the sign-in link of the subscription. */
  readonly ssoId: string
  /** Body that changes single sign-on. */
  readonly ssoChange: object
}

/** Gives a subscription single sign-on. @param name appears in its settings. */
export async function openSsoSubject(
  db: Db,
  { issuer }: LyingProvider,
  { subscriptionId, name }: { subscriptionId: number; name: string },
): Promise<SsoSubject> {
  await db('sso_connections')
    .insert({
      ...{ subscription_id: subscriptionId, issuer, client_id: name, client_secret: Buffer.from('secret') },
      ...{ scopes: [], roles: '{}', default_role: 'analyst', creates_users: true },
      ...{ trusts_emails: false, trusts_factors: false, password_login: true },
    })
    .onConflict('subscription_id')
    .merge()
  return {
    ssoId: await findSsoId(db, subscriptionId),
    ssoChange: {
      ...{ issuer, clientId: name, scopes: [], domains: ['sso.example'], roles: {}, defaultRole: 'analyst' },
      ...{ createsUsers: true, trustsEmails: false, trustsFactors: false, passwordLogin: true },
    },
  }
}
