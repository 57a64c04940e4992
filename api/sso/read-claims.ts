import type { UserRole } from '../../db/accounts/users.ts'
import type { SsoConnection } from '../../db/sign-in/sso-connections.ts'

/** Claims of an ID token or of the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>

/** Values of a claim that are compared with those of the settings; a token has few. */
const MAX_VALUES = 1_000

/**
 * Returns the e-mail by which a person may be linked to a user: one that the provider has verified, or about which it is silent where
 * the settings trust it.
 */
export function emailOf(
  { email, email_verified: verified }: Claims,
  { trustsEmails }: Pick<SsoConnection, 'trustsEmails'>,
): string | undefined {
  if (typeof email !== 'string' || email.length > 320 || !/^[^\s@]+@[^\s@]+$/.test(email)) return undefined
  // some providers write the boolean as a text
  const isVerified = verified === true || verified === 'true'
  return isVerified || (trustsEmails && verified === undefined) ? email : undefined
}

/** Returns a claim by its name, or by a path such as `realm_access.roles`. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Claims)[part]
  }
  return value
}

/**
 * Returns the role that the claim gives, the highest of several; `rejected` if it gives none and there is no other, undefined if roles
 * are not taken from a claim.
 */
export function roleOf(
  claims: Claims,
  { roleClaim, roles, defaultRole }: Pick<SsoConnection, 'roleClaim' | 'roles' | 'defaultRole'>,
): UserRole | 'rejected' | undefined {
  if (roleClaim === null) return undefined
  const given = [claimAt(claims, roleClaim)]
    .flat()
    .slice(0, MAX_VALUES)
    .flatMap((value) => (typeof value === 'string' && Object.hasOwn(roles, value) ? [roles[value]] : []))
  if (given.includes('admin')) return 'admin'
  return given.includes('analyst') ? 'analyst' : (defaultRole ?? 'rejected')
}

/** Authentication contexts with several factors: of REFEDS, and of OpenID's phishing-resistant ones. */
const MFA_CONTEXTS = ['https://refeds.org/profile/mfa', 'phr', 'phrh']

/** Whether the provider says that it has checked a second factor. @see RFC 8176 for `amr` */
export const hasSecondFactor = ({ amr, acr }: Claims): boolean =>
  (Array.isArray(amr) && amr.includes('mfa')) || (typeof acr === 'string' && MFA_CONTEXTS.includes(acr))
