import { z } from 'zod'
import { text } from '../http/text.ts'

export const LoginRequest = z
  .object({
    userEmail: text(1, 320).meta({ description: 'E-mail of the user', examples: ['analyst@lender.example'] }),
    password: text(1, 1_000).meta({
      description: 'Password of the user',
      examples: ['correct horse battery staple'],
    }),
  })
  .meta({ id: 'LoginRequest' })

export type LoginRequest = z.output<typeof LoginRequest>
