import { z } from 'zod'
import { text } from '../http/text.ts'

/** Body limit of account endpoints: 1,000 characters of a password, each written as two escapes. */
export const ACCOUNT_BODY_BYTES = 32 * 1024

export const LoginRequest = z
  .object({
    userEmail: text(1, 320).meta({ description: 'E-mail of the user', examples: ['analyst@lender.example'] }),
    password: text(1, 1_000).meta({
      description: 'Password of the user',
      examples: ['correct horse battery staple'],
    }),
    subscription: text(1, 100)
      .optional()
      .meta({
        description: 'Name of the subscription, for users of several with the same e-mail and password',
        examples: ['Acme Lending'],
      }),
  })
  .meta({ id: 'LoginRequest' })

export type LoginRequest = z.output<typeof LoginRequest>

export const MIN_PASSWORD_LENGTH = 12

/** Without rules of composition; `findPasswordFault` rejects further ones. @see NIST SP 800-63B, section 5.1.1 */
export const NewPassword = text(MIN_PASSWORD_LENGTH, 128).meta({
  description: 'Neither a common password nor your e-mail',
  examples: ['a longer battery staple'],
})

/** A password change, from a client or the portal's form. */
export const PasswordChange = z
  .object({
    currentPassword: text(1, 1_000).meta({
      description: 'The current password',
      examples: ['correct horse battery staple'],
    }),
    newPassword: NewPassword,
  })
  .refine(({ currentPassword, newPassword }) => currentPassword !== newPassword, {
    path: ['newPassword'],
    message: 'must differ from the current password',
  })
  .meta({ id: 'PasswordChange' })

/** Request that accepts an invitation. */
export const InvitationAcceptance = z
  .object({
    token: text(1, 200).meta({
      description: 'Token of the invitation link: the part after #',
      examples: ['Qm8sT2mXe7bLd4fHg6iOaN9yCzQsZr0cPq1nA5vYw3u'],
    }),
    password: NewPassword,
  })
  .meta({ id: 'InvitationAnswer' })
