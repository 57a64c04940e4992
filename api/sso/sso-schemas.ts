import { z } from 'zod'
import { text } from '../http/text.ts'
import { UserRole } from '../users/user-schemas.ts'

/** A domain name of at least two labels, in lower case. */
export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253, 'must have at most 253 characters')
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
    'must be a domain such as lender.example',
  )
  .meta({ description: 'E-mail domain', examples: ['lender.example'] })

const settings = {
  issuer: text(1, 500)
    .refine((value) => URL.canParse(value), 'must be a URL')
    .meta({
      description: 'Address of the provider, as it names itself',
      examples: ['https://login.lender.example'],
    }),
  clientId: text(1, 255).meta({ description: 'Client id at the provider', examples: ['inkling'] }),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'must be a scope'))
    .max(10, 'must have at most 10 scopes')
    .meta({ description: 'Scopes requested besides openid and email', examples: [['groups']] }),
  roles: z
    .record(text(1, 200), UserRole)
    .refine((roles) => Object.keys(roles).length <= 100, 'must have at most 100 values')
    .meta({
      description: 'Role by value of the claim; of several, admin wins',
      examples: [{ 'risk-admins': 'admin' }],
    }),
  createsUsers: z.boolean().meta({
    description: 'Whether the first sign-in of somebody with an e-mail of the domains creates a user',
    examples: [true],
  }),
  trustsEmails: z.boolean().meta({
    description:
      'Whether an e-mail counts without email_verified, which some providers never send. Only for a provider of your organisation alone',
    examples: [false],
  }),
  trustsFactors: z.boolean().meta({
    description:
      'Whether each sign-in counts as one with a second factor, also if the provider does not say so in amr or acr',
    examples: [false],
  }),
  passwordLogin: z.boolean().meta({
    description: 'Whether users with an e-mail of the domains may also sign in by a password or a passkey',
    examples: [true],
  }),
}

const RoleClaim = text(1, 200)

const ROLE_CLAIM = {
  description:
    'Claim with the values that give a role, at each sign-in; a path such as realm_access.roles leads into objects. null: admins set roles',
  examples: ['groups'],
}

const DEFAULT_ROLE = {
  description: 'Role of users without such a value; null rejects them',
  examples: ['analyst'],
}

/** Settings of single sign-on, from a client or the portal's form. */
export const SsoChange = z
  .object({
    ...settings,
    roleClaim: RoleClaim.optional().meta(ROLE_CLAIM),
    defaultRole: UserRole.optional().meta(DEFAULT_ROLE),
    clientSecret: text(1, 1_000)
      .optional()
      .meta({ description: 'Client secret; without it, the stored one stays', examples: ['iMZ6nd0HnKyC'] }),
    domains: z
      .array(Domain)
      .min(1, 'must have at least one domain')
      .max(50, 'must have at most 50 domains')
      .meta({ description: 'E-mail domains of the users', examples: [['lender.example']] }),
  })
  .refine(
    ({ roleClaim, defaultRole, createsUsers }) =>
      !createsUsers || roleClaim !== undefined || defaultRole !== undefined,
    {
      path: ['defaultRole'],
      message: 'is required to create users without a claim for their role',
    },
  )
  .meta({ id: 'SsoChange' })

const BoundDomain = z
  .object({
    domain: z.string().meta({ description: 'E-mail domain', examples: ['lender.example'] }),
    confirmed: z.boolean().meta({
      description: 'Whether the operator confirmed it: only then does an e-mail of it lead to this sign-in',
      examples: [true],
    }),
  })
  .meta({ description: 'A domain of the connection' })

/** Single sign-on of the subscription. */
export const SsoState = z
  .object({
    connection: z
      .object({
        ...settings,
        roleClaim: RoleClaim.nullable().meta(ROLE_CLAIM),
        defaultRole: UserRole.nullable().meta(DEFAULT_ROLE),
        domains: z.array(BoundDomain).meta({ description: 'E-mail domains of the users, by name' }),
      })
      .meta({ id: 'SsoConnection' })
      .nullable()
      .meta({ description: 'null: there is none' }),
    signInUrl: z.string().meta({
      description: 'Sign-in link of the subscription',
      examples: [
        'https://inkling.example/api/account/v1/sso/start?connection=0d3c9a52-7d0e-4b7b-8a43-2f6d0c1e9b10',
      ],
    }),
    redirectUri: z.string().meta({
      description: 'Redirect URI to register at the provider',
      examples: ['https://inkling.example/api/account/v1/sso/callback/0d3c9a52-7d0e-4b7b-8a43-2f6d0c1e9b10'],
    }),
    signOutRedirectUri: z.string().meta({
      description: 'Post-logout redirect URI to register at the provider',
      examples: ['https://inkling.example/login'],
    }),
  })
  .meta({ id: 'SsoState' })
