import type { z } from 'zod'
import { describeIssue } from '../../db/runtime/describe-issue.ts'
import { Problem } from './problem.ts'

/** Maximum number of errors reported, which bounds the response size. */
const MAX_ERRORS = 200

/**
 * Parses input by a schema. A member that is null counts as absent.
 *
 * @throws Problem `validation_failed` with every error and its path.
 */
export function parse<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(withoutNulls(input), { error: describeIssue, reportInput: true })
  if (result.success) return result.data
  throw new Problem('validation_failed', { errors: errorsByPath(result.error) })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Removes members that are null; in nested objects null is data, which the schema validates. */
function withoutNulls(input: unknown): unknown {
  if (!isObject(input) || !Object.values(input).includes(null)) return input
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

/** Groups errors by member path, such as `additionalInfo.clientId`; the body itself is `body`. */
function errorsByPath(error: z.ZodError): Record<string, string[]> {
  const errors: Record<string, string[]> = Object.create(null)
  for (const issue of error.issues.slice(0, MAX_ERRORS)) {
    const path = issue.path.map(String).join('.').slice(0, 200) || 'body'
    errors[path] ??= []
    errors[path].push(issue.input === undefined ? 'is required' : issue.message)
  }
  return errors
}
