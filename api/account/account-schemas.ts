import { z } from 'zod'
import { text } from '../http/text.ts'

/** As everybody sets it: at least 10 characters, and no rule about which. @see NIST SP 800-63B, section 5.1.1 */
export const NewPassword = text(10, 1_000).meta({
  description: 'At least 10 characters',
  examples: ['a longer battery staple'],
})

/** A change of the own password, as a client or the form of the portal asks for it. */
export const PasswordChange = z
  .object({
    currentPassword: text(1, 1_000).meta({
      description: 'As it is now',
      examples: ['correct horse battery staple'],
    }),
    newPassword: NewPassword,
  })
  .refine(({ currentPassword, newPassword }) => currentPassword !== newPassword, {
    path: ['newPassword'],
    message: 'must be another one than before',
  })
  .meta({ id: 'PasswordChange' })

/** What is sent with the token of a link to set a password. */
export const InvitationAnswer = z
  .object({
    token: text(1, 200).meta({
      description: 'What the link has after #',
      examples: ['Qm8sT2mXe7bLd4fHg6iOaN9yCzQsZr0cPq1nA5vYw3u'],
    }),
    password: NewPassword,
  })
  .meta({ id: 'InvitationAnswer' })
