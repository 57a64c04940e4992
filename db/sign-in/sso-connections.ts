import type { UserRole } from '../accounts/users.ts'
import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import type { SealedFor } from '../encryption/seal.ts'
import type { Vault } from '../encryption/vault.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** What an admin sets of single sign-on. */
export interface SsoSettings {
  /** Exactly as the provider's metadata has it. */
  readonly issuer: string
  readonly clientId: string
  /** Scopes requested besides `openid` and `email`. */
  readonly scopes: readonly string[]
  /** E-mail domains of its users, in lower case. */
  readonly domains: readonly string[]
  /** Claim that roles are taken from, at each sign-in; null: admins of the subscription set them. */
  readonly roleClaim: string | null
  /** Role by value of the claim. */
  readonly roles: Readonly<Record<string, UserRole>>
  /** Role without such a value; null rejects the user. */
  readonly defaultRole: UserRole | null
  /** Whether a first sign-in creates the user. */
  readonly createsUsers: boolean
  /** Whether an e-mail counts without `email_verified`. */
  readonly trustsEmails: boolean
  /** Whether each sign-in counts as one with a second factor. */
  readonly trustsFactors: boolean
  /** Whether users with an e-mail of the domains may also sign in by a password or a passkey. */
  readonly passwordLogin: boolean
}

/** Single sign-on of a subscription, without its secret. */
export interface SsoConnection extends Omit<SsoSettings, 'domains'> {
  readonly subscriptionId: number
  readonly subscriptionName: string
  /** Whether the subscription is suspended. */
  readonly suspended: boolean
  /** Random and public: names the subscription in its sign-in link. */
  readonly id: string
  /** `confirmed`: by the operator, so that an e-mail of the domain leads here. */
  readonly domains: readonly { readonly domain: string; readonly confirmed: boolean }[]
  /** When what a sign-in depends on was last changed; UTC with six fractional digits. */
  readonly configuredAt: string
}

const CONNECTION = sql`
  select c.subscription_id as "subscriptionId", s.name as "subscriptionName", s.suspended_at is not null as suspended,
    s.sso_id as id, c.issuer, c.client_id as "clientId", c.scopes, c.role_claim as "roleClaim", c.roles, c.default_role as "defaultRole",
    c.creates_users as "createsUsers", c.trusts_emails as "trustsEmails", c.trusts_factors as "trustsFactors",
    c.password_login as "passwordLogin", ${utcText('c.configured_at')} as "configuredAt",
    (select coalesce(jsonb_agg(jsonb_build_object('domain', d.domain, 'confirmed', d.confirmed_at is not null) order by d.domain), '[]')
     from sso_domains d where d.subscription_id = c.subscription_id) as domains
  from sso_connections c join subscriptions s on s.id = c.subscription_id`

/** Returns the id that a subscription has in its sign-in link, also before there is a connection. */
export async function findSsoId(db: Db, subscriptionId: number): Promise<string> {
  const [row] = await queryRows<{ id: string }>(
    db,
    sql`select sso_id as id from subscriptions where id = ${subscriptionId}`,
  )
  if (!row) throw new Error(`There is no subscription ${subscriptionId}`)
  return row.id
}

/** Finds the connection of a subscription. */
export async function findSsoConnection(db: Db, subscriptionId: number): Promise<SsoConnection | undefined> {
  const [connection] = await queryRows<SsoConnection>(
    db,
    sql`${CONNECTION} where c.subscription_id = ${subscriptionId}`,
  )
  return connection
}

/** Finds the connection that a sign-in link names. */
export async function findSsoConnectionById(db: Db, id: string): Promise<SsoConnection | undefined> {
  // without a subscription, like the query of a domain: they find out whose sign-in it is
  const [connection] = await queryRows<SsoConnection>(db, sql`${CONNECTION} where s.sso_id = ${id}`)
  return connection
}

/**
 * Lists up to two connections for which the operator confirmed an e-mail domain.
 *
 * @param subscription name of the only one in question.
 */
export const listSsoConnectionsOfDomain = (
  db: Db,
  domain: string,
  subscription?: string,
): Promise<SsoConnection[]> =>
  queryRows(
    db,
    sql`${CONNECTION}
        join sso_domains d on d.subscription_id = c.subscription_id and d.domain = ${domain} and d.confirmed_at is not null
        where s.name = coalesce(${subscription ?? null}, s.name) order by c.subscription_id limit 2`,
  )

/** The domain of an e-mail, in lower case; empty without one. */
export const domainOf = (email: string): string => /@([^@\s]+)\s*$/.exec(email)?.[1]?.toLowerCase() ?? ''

/**
 * Lists up to two connections by which users of a domain have to sign in, since passwords are off: of a named subscription, or of any
 * for which the operator confirmed the domain. Depends on no user, so it reveals none.
 */
export const listRequiredSso = (
  db: Db,
  { domain, subscription }: { domain: string; subscription: string | undefined },
): Promise<{ readonly id: string }[]> =>
  queryRows(
    db,
    sql`select s.sso_id as id from sso_domains d
        join sso_connections c on c.subscription_id = d.subscription_id and not c.password_login
        join subscriptions s on s.id = c.subscription_id and s.suspended_at is null
        where d.domain = ${domain} and case when ${subscription ?? null}::text is null then d.confirmed_at is not null
                                       else s.name = ${subscription ?? null} end
        order by c.subscription_id limit 2`,
  )

const sealedFor = (subscriptionId: number): SealedFor => ({ subscriptionId, kind: 'sso', name: 'client' })

/** Returns the client secret of a connection. @throws DataKeyError */
export async function findClientSecret(
  { db, vault }: { db: Db; vault: Vault },
  { subscriptionId }: Pick<SsoConnection, 'subscriptionId'>,
): Promise<string> {
  const [row] = await queryRows<{ secret: Buffer }>(
    db,
    sql`select client_secret as secret from sso_connections where subscription_id = ${subscriptionId}`,
  )
  if (!row) throw new Error(`Subscription ${subscriptionId} has no single sign-on`)
  return (await vault.open(sealedFor(subscriptionId), row.secret)).toString()
}

/** Why a change of single sign-on was rejected; nothing changed. */
export type SsoRejection = 'secret_required' | 'untested' | 'passwords_are_off'

/**
 * Sets up single sign-on of a subscription, or changes it. Recorded in the audit log, without the secret. A new issuer forgets the
 * users of the previous one.
 *
 * Nobody locks themselves out: passwords are switched off only after a sign-in by the connection as it is, of the admin who does so
 * (of any admin, for the operator); while they are off, the issuer and the client id stay. Switching them off ends the sessions of
 * the users in question that began otherwise, except for `sessionId`.
 *
 * @param clientSecret undefined leaves it as it is.
 */
export async function saveSsoConnection(
  { db, vault }: { db: Db; vault: Vault },
  {
    subscriptionId,
    actor,
    sessionId,
    settings,
    clientSecret,
  }: {
    subscriptionId: number
    actor: Actor
    sessionId?: string
    settings: SsoSettings
    clientSecret: string | undefined
  },
): Promise<SsoConnection | SsoRejection> {
  return db.transaction(async (trx) => {
    await queryRows(trx, sql`select from subscriptions where id = ${subscriptionId} for no key update`)
    const before = await findSsoConnection(trx, subscriptionId)
    if (clientSecret === undefined && !before) return 'secret_required'
    const { issuer, clientId, scopes, domains, roleClaim, roles, defaultRole } = settings
    const { createsUsers, trustsEmails, trustsFactors, passwordLogin } = settings
    const isMoved = before !== undefined && (before.issuer !== issuer || before.clientId !== clientId)
    const turnsOff = !passwordLogin && (before?.passwordLogin ?? true)
    if (isMoved && !passwordLogin) return turnsOff ? 'untested' : 'passwords_are_off'
    const isConfigured = !before || isMoved || clientSecret !== undefined || !isEqual(before, settings)
    if (turnsOff && (isConfigured || !before || !(await isTested(trx, before, actor)))) return 'untested'

    const secret = clientSecret === undefined ? null : Buffer.from(clientSecret)
    const sealed = secret && ((await vault.seal(sealedFor(subscriptionId), secret)) ?? secret)
    await queryRows(
      trx,
      sql`insert into sso_connections as c (subscription_id, issuer, client_id, client_secret, scopes, role_claim, roles, default_role,
                                            creates_users, trusts_emails, trusts_factors, password_login)
          values (${subscriptionId}, ${issuer}, ${clientId}, ${sealed ?? Buffer.alloc(0)}, ${[...scopes]}::text[],
                  ${roleClaim}, ${JSON.stringify(roles)}::jsonb, ${defaultRole}, ${createsUsers}, ${trustsEmails},
                  ${trustsFactors}, ${passwordLogin})
          on conflict (subscription_id) do update set
            issuer = excluded.issuer, client_id = excluded.client_id,
            client_secret = case when ${sealed === null} then c.client_secret else excluded.client_secret end,
            scopes = excluded.scopes, role_claim = excluded.role_claim, roles = excluded.roles,
            default_role = excluded.default_role, creates_users = excluded.creates_users,
            trusts_emails = excluded.trusts_emails, trusts_factors = excluded.trusts_factors,
            password_login = excluded.password_login,
            configured_at = case when ${isConfigured} then now() else c.configured_at end`,
    )
    await replaceDomains(trx, subscriptionId, domains)
    if (before && before.issuer !== issuer)
      await queryRows(trx, sql`delete from sso_identities where subscription_id = ${subscriptionId}`)
    if (!passwordLogin) await endOtherSessions(trx, subscriptionId, sessionId)
    const detail = { ...settings, ...(clientSecret !== undefined && { newSecret: true }) }
    await recordAudit(trx, { subscriptionId, actor, action: 'sso.change', detail })
    const saved = await findSsoConnection(trx, subscriptionId)
    if (!saved) throw new Error('insert returned no row')
    return saved
  })
}

/** Whether a sign-in depends on the same settings; domains and passwords are none of them. */
function isEqual(before: SsoConnection, after: SsoSettings): boolean {
  const essence = ({ scopes, roleClaim, roles, defaultRole, trustsEmails }: SsoConnection | SsoSettings) =>
    JSON.stringify([scopes, roleClaim, Object.entries(roles).toSorted(), defaultRole, trustsEmails])
  return essence(before) === essence(after)
}

/** Whether an admin, or the one who asks, has signed in by the connection since it was configured. */
async function isTested(
  trx: Db,
  { subscriptionId, issuer }: SsoConnection,
  { kind, id }: Actor,
): Promise<boolean> {
  const rows = await queryRows(
    trx,
    sql`select from sso_identities i
        join users u on u.subscription_id = i.subscription_id and u.id = i.user_id and u.role = 'admin' and u.disabled_at is null
        join sso_connections c on c.subscription_id = i.subscription_id
        where i.subscription_id = ${subscriptionId} and i.issuer = ${issuer} and i.last_used_at > c.configured_at
          and u.id = coalesce(${kind === 'user' ? id : null}::integer, u.id)`,
  )
  return rows.length > 0
}

async function replaceDomains(trx: Db, subscriptionId: number, domains: readonly string[]): Promise<void> {
  await queryRows(
    trx,
    sql`delete from sso_domains where subscription_id = ${subscriptionId} and domain <> all(${[...domains]}::text[])`,
  )
  await queryRows(
    trx,
    sql`insert into sso_domains (subscription_id, domain)
        select ${subscriptionId}::integer, domain from unnest(${[...domains]}::text[]) domain on conflict do nothing`,
  )
}

/** Whether the e-mail of the user in `u` is of a domain of the connection. */
const HAS_BOUND_DOMAIN = sql`exists (
  select from sso_domains d where d.subscription_id = u.subscription_id and d.domain = substring(u.email from '[^@]*$'))`

/** Ends sessions of the users of the connection that began without it. */
async function endOtherSessions(trx: Db, subscriptionId: number, exceptId?: string): Promise<void> {
  await queryRows(
    trx,
    sql`update sessions x set revoked_at = now() from users u
        where x.subscription_id = ${subscriptionId} and x.revoked_at is null and coalesce(x.method, '') not like 'sso%'
          and x.id is distinct from ${exceptId ?? null}::uuid and u.subscription_id = x.subscription_id and u.id = x.user_id
          and ${HAS_BOUND_DOMAIN}`,
  )
}

/**
 * Removes single sign-on, and what it knows of users; recorded in the audit log. Users without a password then need a link to set one.
 *
 * @returns `last_admin`, and nothing changed, if no admin has a password; undefined if there is none.
 */
export async function removeSsoConnection(
  db: Db,
  { subscriptionId, actor }: { subscriptionId: number; actor: Actor },
): Promise<'removed' | 'last_admin' | undefined> {
  return db.transaction(async (trx) => {
    await queryRows(trx, sql`select from subscriptions where id = ${subscriptionId} for no key update`)
    const connection = await findSsoConnection(trx, subscriptionId)
    if (!connection) return undefined
    const able = await queryRows(
      trx,
      sql`select from users where subscription_id = ${subscriptionId} and role = 'admin' and disabled_at is null
            and password_hash is not null limit 1`,
    )
    if (able.length === 0) return 'last_admin'
    await queryRows(trx, sql`delete from sso_identities where subscription_id = ${subscriptionId}`)
    await queryRows(trx, sql`delete from sso_connections where subscription_id = ${subscriptionId}`)
    const detail = { issuer: connection.issuer }
    await recordAudit(trx, { subscriptionId, actor, action: 'sso.remove', detail })
    return 'removed'
  })
}

/**
 * Confirms that a domain belongs to the subscription: from then on e-mails of it lead to its provider. For the operator only, since
 * this concerns users of other subscriptions. Recorded in the audit log.
 *
 * @returns whether the connection has the domain.
 */
export async function confirmSsoDomain(
  db: Db,
  { subscriptionId, domain, actor }: { subscriptionId: number; domain: string; actor: Actor },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [confirmed] = await queryRows(
      trx,
      sql`update sso_domains set confirmed_at = coalesce(confirmed_at, now())
          where subscription_id = ${subscriptionId} and domain = ${domain} returning domain`,
    )
    if (!confirmed) return false
    await recordAudit(trx, { subscriptionId, actor, action: 'sso.confirm', subject: domain })
    return true
  })
}
