import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { describeIssue } from '../../../db/runtime/describe-issue.ts'
import { declared } from '../../support/client.ts'

const describeFirst = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: describeIssue }).error?.issues[0]?.message

describe('a validation error is described as a predicate of the member', () => {
  test.each<[z.ZodType, unknown, string]>([
    [z.string(), undefined, 'is required'],
    [z.enum(['a', 'b']), undefined, 'is required'],
    [z.string(), 5, 'must be a string'],
    [z.number(), 'x', 'must be a number'],
    [z.coerce.number(), 'x', 'must be a number'],
    [z.number(), Infinity, 'must be a finite number'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.array(z.string()), {}, 'must be an array'],
    [z.object({}), [], 'must be an object'],
    [z.record(z.string(), z.string()), null, 'must be an object'],
    [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    [z.literal('a'), 'c', 'must be a'],
    [z.number().min(2), 1, 'must be at least 2'],
    [z.number().lt(2), 2, 'must be less than 2'],
    [z.string().max(1), 'ab', 'must have at most 1 character'],
    [z.array(z.string()).min(2), [], 'must have at least 2 items'],
    [z.string().regex(/^a$/), 'b', 'must match /^a$/'],
    [z.iso.date(), 'b', 'must be an ISO 8601 date, such as 2026-11-20'],
    [z.email(), 'b', 'must be an e-mail address'],
    [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
    [z.strictObject({}), { a: 1 }, 'must not have "a"'],
    [z.record(z.string().max(1), z.string()), { ab: 'x' }, 'has a name that must have at most 1 character'],
    [z.union([z.string(), z.array(z.string())]), 5, 'must be a string or an array'],
    [
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      {},
      'does not match any of the allowed forms',
    ],
    [
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
      { kind: 'c' },
      'must be one of a, b',
    ],
    [z.string('must be a name'), 5, 'must be a name'],
  ])('%#: %o, %j', (schema, value, expected) => {
    expect(describeFirst(schema, value)).toBe(expected)
  })
})

const VALUES = [undefined, null, 0, -1, 1.5, 1e300, true, '', 'x', 'x'.repeat(2_000), '\0', '\ud83d', [], [1]]

test('no message for a body or query names internals of the validator', () => {
  const messages = new Set<string>()
  for (const schema of declared.flatMap(({ body, query }) => [body, query])) {
    if (!schema) continue
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    const inputs = VALUES.flatMap((value) => [
      value,
      Object.fromEntries(Object.keys(properties).map((name) => [name, value])),
    ])
    for (const input of inputs)
      for (const { message } of schema.safeParse(input, { error: describeIssue }).error?.issues ?? [])
        messages.add(message)
  }
  expect(messages.size).toBeGreaterThan(20)
  expect([...messages].filter((message) => !/^(is|has|does|must|the key|a dataset) /.test(message))).toEqual(
    [],
  )
})
