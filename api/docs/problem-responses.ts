import type { Credential, Endpoint } from '../http/endpoint.ts'
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from '../http/problem.ts'
import { PROBLEM_HELP, RETRY_RULES } from '../http/problem-help.ts'
import { helpPath } from '../http/problem-type.ts'
import { exampleOfProblem } from './example-of-problem.ts'
import { headersOf } from './headers.ts'
import type { JsonObject } from './json-schema.ts'

/** Problems of every operation: malformed or unsupported requests, and server errors. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  'malformed_request',
  'method_not_allowed',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'unavailable',
]

const CREDENTIAL_PROBLEMS: Record<Credential['kind'], readonly ProblemCode[]> = {
  none: [],
  key: ['unauthenticated', 'network_not_allowed', 'forbidden', 'subscription_suspended', 'rate_limited'],
  login: ['unauthenticated', 'forbidden', 'subscription_suspended'],
  either: ['unauthenticated', 'network_not_allowed', 'forbidden', 'subscription_suspended', 'rate_limited'],
  siteKey: ['site_key_invalid', 'origin_not_allowed', 'subscription_suspended', 'rate_limited'],
  collection: ['collection_not_found', 'subscription_suspended', 'rate_limited'],
}

const stepUpProblems = ({ stepUp }: Endpoint): readonly ProblemCode[] =>
  stepUp === undefined
    ? []
    : stepUp === 'with_factor'
      ? ['step_up_required', 'factor_required']
      : ['step_up_required']

const BODY_PROBLEMS: readonly ProblemCode[] = [
  'malformed_json',
  'validation_failed',
  'payload_too_large',
  'unsupported_media_type',
]

const bodyProblems = ({ invalidBody, query }: Endpoint): readonly ProblemCode[] =>
  invalidBody
    ? [
        invalidBody,
        ...(query ? (['validation_failed'] as const) : []),
        'payload_too_large',
        'unsupported_media_type',
      ]
    : BODY_PROBLEMS

/** Examples of problems by title, except of unknown paths, which no operation has. */
export const problemExamples = (): JsonObject =>
  Object.fromEntries(
    PROBLEM_CODES.filter((code) => code !== 'route_not_found').map((code) => [code, describeExample(code)]),
  )

/** Shared responses by title, of each problem that is the only one of its status in some operation. */
export const problemResponsesAlone = (endpoints: readonly Endpoint[]): JsonObject =>
  Object.fromEntries(
    endpoints
      .flatMap((endpoint) => [...titlesByStatus(endpoint)])
      .flatMap(([status, [title, ...others]]) =>
        title === undefined || others.length > 0 ? [] : [[title, describeProblems(status, [title], {})]],
      ),
  )

/** Returns responses by status; several problems of one status share a response that lists their titles. */
export const problemResponses = (endpoint: Endpoint): JsonObject =>
  Object.fromEntries(
    [...titlesByStatus(endpoint)].map(([status, titles]) => [
      status,
      titles.length === 1
        ? { $ref: `#/components/responses/${titles[0]}` }
        : describeProblems(status, titles, endpoint.statuses ?? {}),
    ]),
  )

function titlesByStatus(endpoint: Endpoint): Map<number, ProblemCode[]> {
  const codes = new Set<ProblemCode>([
    ...CREDENTIAL_PROBLEMS[endpoint.credential.kind],
    ...stepUpProblems(endpoint),
    ...(endpoint.body ? bodyProblems(endpoint) : endpoint.query ? (['validation_failed'] as const) : []),
    ...endpoint.problems,
    ...COMMON_PROBLEMS,
  ])
  return Map.groupBy(codes, (code) => endpoint.statuses?.[code] ?? PROBLEMS[code][0])
}

const describeExample = (code: ProblemCode, status?: number): JsonObject => ({
  summary: code,
  value: exampleOfProblem(code, status),
})

const describeProblem = (code: ProblemCode): string =>
  `\`${code}\`: ${PROBLEMS[code][1]}. ${RETRY_RULES[PROBLEM_HELP[code].retry]} ([help](${helpPath(code)})).`

const describeProblems = (
  status: number,
  titles: readonly ProblemCode[],
  statuses: NonNullable<Endpoint['statuses']>,
): JsonObject => ({
  description: titles.map(describeProblem).join('\n\n'),
  headers: headersOf(status),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/ProblemDetails' },
      examples: Object.fromEntries(
        titles.map((title) => [
          title,
          statuses[title]
            ? describeExample(title, statuses[title])
            : { $ref: `#/components/examples/${title}` },
        ]),
      ),
    },
  },
})
