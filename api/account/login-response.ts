import { z } from 'zod'
import type { IssuedToken } from './tokens.ts'

/** @see the interface document, "Login response body" */
export const LoginResponse = z
  .object({
    access_token: z.string().meta({ description: 'Login token, a JWT; send it as Authorization: Bearer …' }),
    token_type: z.literal('bearer'),
    '.issued': z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    '.expires': z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    refresh_token: z.string().meta({ description: 'Works once; using it twice ends the session' }),
  })
  .meta({ id: 'LoginResponse' })

const wholeSeconds = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z')

export function presentLogin(issued: IssuedToken, refreshToken: string): z.output<typeof LoginResponse> {
  return {
    access_token: issued.token,
    token_type: 'bearer',
    '.issued': wholeSeconds(issued.issuedAt),
    '.expires': wholeSeconds(issued.expiresAt),
    refresh_token: refreshToken,
  }
}
