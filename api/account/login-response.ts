import { z } from 'zod'
import type { IssuedToken } from './signed-tokens.ts'

const Seconds = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)

/** @see the interface document, "Login response body" */
export const LoginResponse = z
  .object({
    access_token: z.string().meta({
      description: 'Login token, a JWT; send it as Authorization: Bearer …',
      examples: ['eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl'],
    }),
    token_type: z.literal('bearer').meta({ description: 'The scheme of Authorization' }),
    '.issued': Seconds.meta({
      description: 'When the token was issued, UTC',
      examples: ['2026-11-20T08:15:30Z'],
    }),
    '.expires': Seconds.meta({
      description: 'When the token expires, UTC',
      examples: ['2026-11-20T09:15:30Z'],
    }),
    refresh_token: z.string().meta({
      description: 'Works once; using it twice ends the session',
      examples: ['Zr0cPq1nA5vYw3uJk8sT2mXe7bLd4fHg6iOaN9yCzQs'],
    }),
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
