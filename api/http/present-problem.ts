import { z } from 'zod'
import { LIMIT_NAMES } from '../limits/limit-names.ts'
import { PROBLEM_CODES, PROBLEMS, type Problem } from './problem.ts'
import { typeOfProblem } from './problem-type.ts'
import { Timestamp } from './timestamp.ts'

/** Body of error responses. */
export const ProblemDetails = z
  .object({
    type: z.url().meta({
      description:
        'Page that explains the problem; of a service without a public address, the section of the standard that defines the status',
      examples: ['https://inkling.example/problems/validation_failed'],
    }),
    title: z
      .enum(PROBLEM_CODES)
      .meta({ description: 'Stable error code that programs switch on; later versions may add codes' }),
    status: z.int().meta({ description: 'The HTTP status', examples: [400] }),
    detail: z.string().meta({
      description: 'Human-readable error and remedy',
      examples: [PROBLEMS.validation_failed[1]],
    }),
    traceId: z.string().meta({
      description: 'Request id, the same as X-Request-Id',
      examples: ['0b5f6a3c-6a1e-4c55-9d0e-3f1f5f6d9a11'],
    }),
    errors: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({
        description: 'Error messages by member path; all errors at once',
        examples: [{ referenceNumber: ['is required'] }],
      }),
    subscriptions: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Name of the subscription', examples: ['Acme Lending'] }),
        }),
      )
      .optional()
      .meta({ description: 'Of `subscription_required`: the subscriptions to choose from' }),
    challenge: z
      .string()
      .optional()
      .meta({
        description: 'Of `second_factor_required`: the challenge to answer; valid for 5 minutes',
        examples: ['eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJqdGkiOiI0MiJ9.c2lnbmF0dXJl'],
      }),
    factors: z
      .array(z.enum(['totp', 'passkey', 'recovery_code']))
      .optional()
      .meta({ description: 'Of `second_factor_required`: kinds of factors that the user can answer by' }),
    passkey: z.record(z.string(), z.unknown()).optional().meta({
      description:
        'Of `second_factor_required`, for a user with passkeys: options for PublicKeyCredential.parseRequestOptionsFromJSON()',
    }),
    ways: z
      .array(z.enum(['password', 'totp', 'passkey', 'sso']))
      .optional()
      .meta({ description: 'Of `step_up_required`: ways to prove who one is' }),
    signInUrl: z
      .string()
      .optional()
      .meta({
        description: 'Of `sso_required`: path at which the sign-in begins',
        examples: ['/api/account/v1/sso/start?connection=0d3c9a52-7d0e-4b7b-8a43-2f6d0c1e9b10'],
      }),
    maxAgeSeconds: z
      .int()
      .optional()
      .meta({ description: 'Of `step_up_required`: how old the proof may be', examples: [600] }),
    keys: z
      .array(
        z.object({
          kind: z.enum(['api_key', 'site_key']).meta({ description: 'Kind of the key' }),
          id: z.int().meta({ description: 'Id of the key', examples: [41] }),
          label: z
            .string()
            .nullable()
            .meta({ description: 'Purpose of the key', examples: ['loan backend'] }),
        }),
      )
      .optional()
      .meta({ description: 'Of `key_decision_required`: the live keys that the user created' }),
    limit: z
      .object({
        name: z.enum(LIMIT_NAMES).meta({ description: 'Name of the limit, as in RateLimit-Policy' }),
        quota: z.int().meta({ description: 'Requests, datasets or bytes', examples: [10_000] }),
        retryAt: Timestamp.meta({ description: 'When a retry may be successful; UTC' }),
      })
      .optional()
      .meta({
        description: 'Of `rate_limited`, for limits of API keys and subscriptions: the limit reached',
      }),
  })
  .meta({ id: 'ProblemDetails', description: 'Problem details, RFC 9457' })

export type ProblemDetails = z.output<typeof ProblemDetails>

/** @param origin the origin of the public address of the service, if it has one. */
export function presentProblem(problem: Problem, traceId: string, origin?: string): ProblemDetails {
  const { errors, members } = problem.options
  const { keys, subscriptions, factors, ways, ...others } = members ?? {}
  return {
    type: typeOfProblem(problem, origin),
    title: problem.code,
    status: problem.status,
    detail: problem.detail,
    traceId,
    ...(errors && {
      errors: Object.fromEntries(Object.entries(errors).map(([path, list]) => [path, [...list]])),
    }),
    ...(keys && { keys: [...keys] }),
    ...(subscriptions && { subscriptions: [...subscriptions] }),
    ...(factors && { factors: [...factors] }),
    ...(ways && { ways: [...ways] }),
    ...others,
  }
}
