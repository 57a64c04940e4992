import type { z } from 'zod'

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 time with its zone, such as 2026-11-20T08:15:30Z',
  date: 'an ISO 8601 date, such as 2026-11-20',
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
}

/**
 * Describes a validation error for a person, as a predicate: "is required", "must be a string". Pass it as `error` to a parse of
 * zod, whose own messages name its internals ("Invalid input: expected string, received undefined"). Messages declared in a schema
 * take precedence.
 */
export const describeIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === Infinity || issue.input === -Infinity
        ? 'must be a finite number'
        : `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return describeBound(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)
    case 'too_big':
      return describeBound(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)
    case 'invalid_format':
      if (issue.format === 'regex') return `must match ${issue.pattern}`
      return `must be ${FORMATS[issue.format] ?? `a valid ${issue.format}`}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `must not have ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
    case 'invalid_key':
      return `has a name that ${issue.issues[0]?.message ?? 'is not allowed'}`
    case 'invalid_union':
      return describeUnion(issue)
    default:
      return 'is not valid'
  }
}

function describeBound(origin: string, relation: string, bound: number | bigint): string {
  const [one, many] = UNITS[origin] ?? []
  if (one === undefined) return `must be ${relation} ${bound}`
  return `must have ${relation} ${bound} ${Number(bound) === 1 ? one : many}`
}

type Union = z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>

/** Names the alternatives if each is a type or a list of values. */
function describeUnion({ errors = [], options }: Union): string {
  if (Array.isArray(options)) return `must be one of ${options.map(String).join(', ')}`
  const alternatives = errors.map(([error]) =>
    error?.path.length === 0 && error.message.startsWith('must be ') ? error.message.slice(8) : undefined,
  )
  return alternatives.length === 0 || alternatives.includes(undefined)
    ? 'does not match any of the allowed forms'
    : `must be ${[...new Set(alternatives)].join(' or ')}`
}
