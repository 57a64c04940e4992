import { text } from 'node:stream/consumers'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { SSO_START } from '../../api/account/sign-in.ts'
import { ssoVariables } from '../../api/config.ts'
import { openProviders } from '../../api/sso/providers.ts'
import { CALLBACK } from '../../api/sso/sso-dependencies.ts'
import { LAST_ADMIN_OF_SSO, SSO_REJECTIONS } from '../../api/sso/sso-rejections.ts'
import { Domain, SsoChange } from '../../api/sso/sso-schemas.ts'
import type { Subscription } from '../../db/accounts/subscriptions.ts'
import type { UserRole } from '../../db/accounts/users.ts'
import type { Db } from '../../db/postgres/database.ts'
import { readEnv } from '../../db/runtime/env.ts'
import { openReach } from '../../db/runtime/reach.ts'
import {
  confirmSsoDomain,
  findSsoConnection,
  findSsoId,
  removeSsoConnection,
  type SsoConnection,
  saveSsoConnection,
} from '../../db/sign-in/sso-connections.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { currentOperator, openVaultOf, requireSubscription, withDatabase } from '../cli/with-database.ts'

type Switch = 'on' | 'off'

interface SetOptions {
  readonly issuer?: string
  readonly clientId?: string
  readonly clientSecretStdin?: true
  readonly scope?: readonly string[]
  readonly domain?: readonly string[]
  readonly roleClaim?: string
  readonly role?: readonly (readonly [value: string, role: UserRole])[]
  readonly defaultRole?: UserRole | 'none'
  readonly createUsers?: Switch
  readonly trustEmails?: Switch
  readonly trustFactors?: Switch
  readonly passwordLogin?: Switch
}

const append = (value: string, values: readonly string[] = []) => [...values, value]

function appendRole(value: string, values: SetOptions['role'] = []) {
  const at = value.lastIndexOf('=')
  const role = value.slice(at + 1)
  if (at < 1 || (role !== 'admin' && role !== 'analyst'))
    throw new InvalidArgumentError('It must be VALUE=admin or VALUE=analyst.')
  return [...values, [value.slice(0, at), role] as const]
}

const toggle = (flags: string, description: string) => new Option(flags, description).choices(['on', 'off'])

export function ssoCommands(sso: Command, io: CommandIo): void {
  sso
    .command('show <subscription>')
    .description('Show single sign-on of a subscription, without the secret')
    .action((nameOrId: string) =>
      withDatabase(io, async (db) => {
        const subscription = await requireSubscription(db, nameOrId)
        return present(db, subscription, await findSsoConnection(db, subscription.id))
      }),
    )

  sso
    .command('set <subscription>')
    .description('Set up single sign-on of a subscription, or change the given settings')
    .option('--issuer <url>', 'address of the OpenID provider, as it names itself')
    .option('--client-id <id>', 'client id at the provider')
    .option('--client-secret-stdin', 'read the client secret from standard input')
    .option('--scope <scope>', 'scope requested besides openid and email; repeatable', append)
    .option('--domain <domain>', 'e-mail domain of the users; repeatable', append)
    .option('--role-claim <name>', 'claim whose values give a role, or none: admins set roles')
    .option('--role <value=role>', 'role by a value of the claim; repeatable', appendRole)
    .addOption(
      new Option('--default-role <role>', 'role of users without such a value; none rejects them').choices([
        'admin',
        'analyst',
        'none',
      ]),
    )
    .addOption(toggle('--create-users <state>', 'whether a first sign-in creates the user'))
    .addOption(toggle('--trust-emails <state>', 'whether an e-mail counts without email_verified'))
    .addOption(toggle('--trust-factors <state>', 'whether each sign-in counts as one with a second factor'))
    .addOption(
      toggle('--password-login <state>', 'whether these users may also sign in by a password or passkey'),
    )
    .action((nameOrId: string, options: SetOptions) =>
      withDatabase(io, async (db) => {
        const subscription = await requireSubscription(db, nameOrId)
        const subscriptionId = subscription.id
        const before = await findSsoConnection(db, subscriptionId)
        const { clientSecret, ...change } = await readChange(io, before, options)
        const vault = await openVaultOf(io, db)
        const { SSO_PRIVATE_NETWORKS } = readEnv(z.object(ssoVariables(io.env)), io.env)
        const { checkIssuer } = openProviders({ db, vault }, openReach(SSO_PRIVATE_NETWORKS))
        const issuer =
          before?.issuer === change.issuer
            ? change.issuer
            : await checkIssuer(change.issuer).catch((error: Error) => {
                throw new UserError(`The issuer is not usable: ${error.message}`)
              })
        const { roleClaim = null, defaultRole = null } = change
        const saved = await saveSsoConnection(
          { db, vault },
          {
            ...{ subscriptionId, actor: currentOperator(), clientSecret },
            settings: { ...change, issuer, roleClaim, defaultRole },
          },
        )
        if (typeof saved === 'string') throw new UserError(SSO_REJECTIONS[saved])
        return present(db, subscription, saved)
      }),
    )

  sso
    .command('confirm-domain <subscription> <domain>')
    .description(
      'Confirm that an e-mail domain belongs to the subscription, so that e-mails of it lead to its provider',
    )
    .action((nameOrId: string, domain: string) =>
      withDatabase(io, async (db) => {
        const { id: subscriptionId, name } = await requireSubscription(db, nameOrId)
        const parsed = Domain.safeParse(domain).data ?? ''
        if (!(await confirmSsoDomain(db, { subscriptionId, domain: parsed, actor: currentOperator() })))
          throw new UserError(`Single sign-on of this subscription has no domain ${JSON.stringify(domain)}`)
        return { id: subscriptionId, name, domain: parsed, confirmed: true }
      }),
    )

  sso
    .command('remove <subscription>')
    .description('Remove single sign-on of a subscription; users then need a password')
    .action((nameOrId: string) =>
      withDatabase(io, async (db) => {
        const { id: subscriptionId, name } = await requireSubscription(db, nameOrId)
        const removed = await removeSsoConnection(db, { subscriptionId, actor: currentOperator() })
        if (removed === 'last_admin') throw new UserError(LAST_ADMIN_OF_SSO)
        if (!removed) throw new UserError('This subscription has no single sign-on')
        return { id: subscriptionId, name, removed: true }
      }),
    )
}

/** Addresses are relative: the command does not know that of the portal. */
async function present(db: Db, { id, name }: Subscription, connection: SsoConnection | undefined) {
  const ssoId = await findSsoId(db, id)
  const addresses = { signInPath: `${SSO_START}?connection=${ssoId}`, redirectPath: `${CALLBACK}/${ssoId}` }
  if (!connection) return { id, name, ...addresses, connection: null }
  const { subscriptionId, subscriptionName, suspended, id: _, configuredAt, ...settings } = connection
  return { id, name, ...addresses, connection: settings }
}

/** Returns the settings with those that the options name. @throws UsageError for invalid ones. */
async function readChange(io: CommandIo, before: SsoConnection | undefined, options: SetOptions) {
  const isOn = (state: Switch | undefined, otherwise: boolean) => (state ? state === 'on' : otherwise)
  const { roleClaim = before?.roleClaim, defaultRole = before?.defaultRole, clientSecretStdin } = options
  const secret = clientSecretStdin && (await text(io.stdin)).replace(/\r?\n$/, '')
  const parsed = SsoChange.safeParse({
    issuer: options.issuer ?? before?.issuer,
    clientId: options.clientId ?? before?.clientId,
    clientSecret: secret,
    scopes: options.scope ?? before?.scopes ?? [],
    domains: options.domain ?? before?.domains.map(({ domain }) => domain) ?? [],
    roleClaim: roleClaim === 'none' || roleClaim === null ? undefined : roleClaim,
    roles: options.role ? Object.fromEntries(options.role) : (before?.roles ?? {}),
    defaultRole: defaultRole === 'none' || defaultRole === null ? undefined : defaultRole,
    createsUsers: isOn(options.createUsers, before?.createsUsers ?? false),
    trustsEmails: isOn(options.trustEmails, before?.trustsEmails ?? false),
    trustsFactors: isOn(options.trustFactors, before?.trustsFactors ?? false),
    passwordLogin: isOn(options.passwordLogin, before?.passwordLogin ?? true),
  })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new UsageError(`${issue?.path.join('.')}: ${issue?.message}`)
}
