import { z } from 'zod'
import { text } from '../http/text.ts'

export const LoginRequest = z.object({
  userEmail: text(1, 320).meta({ examples: ['analyst@lender.example'] }),
  password: text(1, 1_000),
})

export type LoginRequest = z.output<typeof LoginRequest>
