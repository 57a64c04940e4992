import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CaptureError } from '../../../worker/capture/capture-error.ts'
import { countMembers, scanJson } from '../../../worker/capture/scan-json.ts'

const scan = (text: string, maxDepth = 1_000) => scanJson(Buffer.from(text), maxDepth)

/** Computes the same counts from the parsed value. */
function measure(value: unknown): ReturnType<typeof scanJson> {
  if (typeof value !== 'object' || value === null) return { depth: 0, members: 0, commas: 0, openings: 0 }
  const items: unknown[] = Object.values(value)
  const inner = items.map(measure)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    members: inner.reduce((sum, { members }) => sum + members, Array.isArray(value) ? 0 : items.length),
    commas: inner.reduce((sum, { commas }) => sum + commas, Math.max(0, items.length - 1)),
    openings: inner.reduce((sum, { openings }) => sum + openings, 1),
  }
}

const parse = (text: string): unknown => JSON.parse(text)

/** JSON with strings full of structural characters. */
const punctuatedJson = fc.jsonValue({ depthSize: 'medium' }).chain((value) =>
  fc.record({
    value: fc.constant(value),
    key: punctuation(),
    text: punctuation(),
    space: fc.constantFrom(0, 1, '\t', '\n\r '),
  }),
)

function punctuation(): fc.Arbitrary<string> {
  const units = ['{', '}', '[', ']', ':', ',', '"', '\\', '\\"', '\\\\', 'é', '😀', '\n', '\0', 'u', '\ud800']
  return fc.string({ unit: fc.constantFrom(...units), maxLength: 12 }).filter((text) => text !== '__proto__')
}

describe('scanning agrees with parsing', () => {
  test('for any JSON: depth, members, commas and openings', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'medium' }), (text) => {
        expect(scan(text)).toEqual(measure(parse(text)))
      }),
      { numRuns: 2_000 },
    )
  })

  test('for members and texts of braces, colons, commas, quotes and backslashes, with any white space', () => {
    fc.assert(
      fc.property(punctuatedJson, ({ value, key, text, space }) => {
        const json = JSON.stringify({ [key]: [text, value, { [text]: key }] }, null, space)
        expect(scan(json)).toEqual(measure(parse(json)))
      }),
      { numRuns: 2_000 },
    )
  })

  test('parsing retains all members', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'medium' }), (text) => {
        fc.pre(!text.includes('__proto__'))
        expect(countMembers(parse(text))).toBe(scan(text).members)
      }),
      { numRuns: 1_000 },
    )
  })
})

test.each([
  ['', 0, 0, 0, 0],
  ['null', 0, 0, 0, 0],
  ['[]', 1, 0, 0, 1],
  ['{}', 1, 0, 0, 1],
  ['[[],[[]]]', 3, 0, 1, 4],
  ['{"a":{"b":[1,2]},"c":3}', 3, 3, 2, 3],
  [String.raw`{"\"":"}{"}`, 1, 1, 0, 1],
  [String.raw`{"\\":"\\"}`, 1, 1, 0, 1],
  [String.raw`["\\\"[",":,"]`, 1, 0, 1, 1],
])('%j is %i deep with %i members, %i commas and %i openings', (text, depth, members, commas, openings) => {
  expect(scan(text)).toEqual({ depth, members, commas, openings })
})

test('scanning counts all repeated members, parsing retains only the last', () => {
  const text = String.raw`{"a":1,"\u0061":{"b":1,"b":2}}`
  expect(scan(text).members).toBe(4)
  expect(countMembers(parse(text))).toBe(2)
})

test('scanning stops at the first level that is too deep', () => {
  const text = `${'['.repeat(100_000)},,,`
  expect(scan(text, 32)).toEqual({ depth: 33, members: 0, commas: 0, openings: 33 })
})

test.each(['"', '"\\', '"\\"', ']]]}}}', '{"a', ',:,:'])(
  '%j, which is not JSON, is scanned to its end',
  (text) => {
    expect(() => scan(text)).not.toThrow()
    expect(() => parse(text)).toThrow(SyntaxError)
  },
)

test('a text of control characters or of bytes above 127 is scanned like any other', () => {
  expect(scanJson(Buffer.from([0x22, 0xff, 0x5c, 0x22, 0x2c, 0x22, 0x2c]), 8).commas).toBe(1)
})

test.each(['{"__proto__":1}', '[{"a":[{"__proto__":null}]}]', String.raw`{"\u005f_proto__":{}}`])(
  'a member named __proto__ is rejected everywhere: %s',
  (text) => {
    expect(() => countMembers(parse(text))).toThrow(
      expect.objectContaining({ name: CaptureError.name, code: 'forbidden_member' }),
    )
  },
)

test('the text __proto__ and names of inherited members are accepted', () => {
  expect(countMembers(parse('{"a":"__proto__","constructor":1,"toString":{"valueOf":2}}'))).toBe(4)
})
