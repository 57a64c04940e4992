import { SsoChange } from '../../../sso/sso-schemas.ts'
import type { components } from '../../client/openapi.d.ts'

export type SsoState = components['schemas']['SsoState']

/** Values of the form of single sign-on. */
export interface SsoValues {
  readonly issuer: string
  readonly clientId: string
  /** Empty: unchanged. */
  readonly clientSecret: string
  /** One per line. */
  readonly domains: string
  /** Separated by spaces. */
  readonly scopes: string
  readonly roleClaim: string
  /** Lines such as `risk-admins = admin`. */
  readonly roles: string
  readonly defaultRole: 'admin' | 'analyst' | 'none'
  readonly createsUsers: boolean
  readonly trustsEmails: boolean
  readonly trustsFactors: boolean
  readonly passwordLogin: boolean
}

const NEW_VALUES: SsoValues = {
  ...{ issuer: '', clientId: '', clientSecret: '', domains: '', scopes: '', roleClaim: '', roles: '' },
  ...{ defaultRole: 'analyst', createsUsers: true },
  ...{ trustsEmails: false, trustsFactors: false, passwordLogin: true },
}

/** Returns the stored settings as values of the form; without any, those of a new one. */
export function valuesOf(connection: SsoState['connection']): SsoValues {
  if (!connection) return NEW_VALUES
  const { domains, scopes, roleClaim, roles, defaultRole, ...rest } = connection
  return {
    ...rest,
    clientSecret: '',
    domains: domains.map(({ domain }) => domain).join('\n'),
    scopes: scopes.join(' '),
    roleClaim: roleClaim ?? '',
    roles: Object.entries(roles)
      .map(([value, role]) => `${value} = ${role}`)
      .join('\n'),
    defaultRole: defaultRole ?? 'none',
  }
}

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

const requestOf = (values: SsoValues) => ({
  ...values,
  clientSecret: values.clientSecret === '' ? undefined : values.clientSecret,
  domains: wordsOf(values.domains),
  scopes: wordsOf(values.scopes),
  roleClaim: values.roleClaim.trim() === '' ? undefined : values.roleClaim.trim(),
  roles: Object.fromEntries(
    values.roles
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const at = line.lastIndexOf('=')
        return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()]
      }),
  ),
  defaultRole: values.defaultRole === 'none' ? undefined : values.defaultRole,
})

/** Returns the request from validated values. */
export function parseValues(values: SsoValues): components['schemas']['SsoChange'] {
  const { clientSecret, roleClaim, defaultRole, ...rest } = SsoChange.parse(requestOf(values))
  return {
    ...rest,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(roleClaim !== undefined && { roleClaim }),
    ...(defaultRole !== undefined && { defaultRole }),
  }
}

/** Returns the errors of the values by field. */
export function findErrors(values: SsoValues): Record<string, string> {
  const { error } = SsoChange.safeParse(requestOf(values))
  return errorsByField(
    (error?.issues ?? []).map(({ path, message }) => [path.map(String).join('.'), message]),
  )
}

/** Groups errors of a request by field. */
export function errorsByField(
  errors: readonly (readonly [path: string, message: string])[],
): Record<string, string> {
  const byField: Record<string, string> = {}
  for (const [path, message] of errors) {
    const [field = ''] = path.split('.')
    byField[field] ??=
      field === 'roles' ? 'Each line must be a value, an equals sign, and admin or analyst' : message
  }
  return byField
}
