import type { z } from 'zod'
import { describeIssue } from '../../db/runtime/describe-issue.ts'
import { Problem } from './problem.ts'

/** Faults told at most, so that an answer stays small whatever was sent. */
const MAX_ERRORS = 200

/**
 * Past this call, a value has the type its schema says. A member set to null counts as absent.
 *
 * @throws Problem `validation_failed`, with every fault and where it is.
 */
export function parse<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(withoutNulls(input), { error: describeIssue, reportInput: true })
  if (result.success) return result.data
  throw new Problem('validation_failed', { errors: errorsByPath(result.error) })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without the members that are null; those of inner objects are data, for the schema to judge. */
function withoutNulls(input: unknown): unknown {
  if (!isObject(input) || !Object.values(input).includes(null)) return input
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

/** Faults by member path, as in `additionalInfo.clientId`; the body itself is `body`. */
function errorsByPath(error: z.ZodError): Record<string, string[]> {
  const faults: Record<string, string[]> = Object.create(null)
  for (const issue of error.issues.slice(0, MAX_ERRORS)) {
    const path = issue.path.map(String).join('.').slice(0, 200) || 'body'
    faults[path] ??= []
    faults[path].push(issue.input === undefined ? 'is required' : issue.message)
  }
  return faults
}
