import type { SsoRejection } from '../../db/sign-in/sso-connections.ts'

/** Why a change of single sign-on was rejected, for people. */
export const SSO_REJECTIONS: Readonly<Record<SsoRejection, string>> = {
  secret_required: 'The client secret is required',
  untested:
    'Save these settings with passwords on, sign in by single sign-on as an admin, and then switch passwords off',
  passwords_are_off:
    'Switch passwords on first: nobody may be able to sign in with another issuer or client id',
}

/** Detail of the conflict of a removal that would leave no admin who can sign in. */
export const LAST_ADMIN_OF_SSO =
  'No admin has a password; create a link to set one for an admin, and set it, before you remove single sign-on'
