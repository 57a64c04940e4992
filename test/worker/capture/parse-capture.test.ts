import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Capture } from '../../../db/capture/capture.ts'
import { parseCapture } from '../../../worker/capture/parse-capture.ts'
import { arbitraryCapture } from '../../support/arbitrary-captures.ts'
import { aCapture } from '../../support/captures.ts'

type JsonObject = { [name: string]: unknown }

/** Objects and lists of a value, itself included, each with the names of what it holds. */
function holders(value: unknown): { holder: JsonObject; names: string[] }[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as JsonObject
  const names = Object.keys(holder)
  return [...(names.length > 0 ? [{ holder, names }] : []), ...names.flatMap((name) => holders(holder[name]))]
}

const ODD_VALUES = [
  null,
  true,
  '',
  'x',
  'x'.repeat(1_001),
  '😀'.repeat(501),
  '2026-02-30T00:00:00Z',
  '2026-02-28T00:00:00',
  -1,
  0.5,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  [],
  {},
  [{}],
] as const

test('the compiled schema accepts and rejects the same values as the zod schema', () => {
  fc.assert(
    fc.property(
      arbitraryCapture,
      fc.nat(),
      fc.nat(),
      fc.option(fc.constantFrom(...ODD_VALUES)),
      (generated, place, member, odd) => {
        const capture = structuredClone(generated) as JsonObject
        const places = holders(capture)
        const { holder, names } = places[place % places.length] ?? { holder: capture, names: ['format'] }
        const name = names[member % names.length] ?? 'format'
        if (odd === null) delete holder[name]
        else holder[name] = odd
        expect('capture' in parseCapture(capture)).toBe(Capture.safeParse(capture).success)
      },
    ),
    { numRuns: 3_000 },
  )
})

test.each([
  null,
  [],
  'key',
  {},
  { t: 1 },
  { type: 'key' },
  { t: null, type: 'key' },
  { t: 1, type: null },
  { t: 1, type: '' },
  { t: Number.POSITIVE_INFINITY, type: 'key' },
  { t: 1, type: 'key', mean: Number.NEGATIVE_INFINITY },
  { t: 1, type: 'key', length: 1.5 },
  { t: 1, type: 'key', finger: 101 },
  { t: 1, type: 'key', pasted: 1 },
  { t: 1, type: 'key', target: {} },
])('%j is not an event', (event) => {
  const behaviour = {
    startedAt: '2026-11-20T08:15:30Z',
    durationMs: 10,
    events: [{ t: 0, type: 'key' }, event],
  }
  expect(parseCapture(aCapture({ behaviour }))).toEqual({
    errors: expect.stringMatching(/^behaviour\.events\.1/),
  })
})

test.each<object>([
  { t: 0, type: 'gaze', toString: 1, constructor: {} },
  {
    t: 9_007_199_254_740_991,
    type: 'x'.repeat(1_000),
    target: null,
    dwellMs: null,
    pasted: null,
    finger: 100,
  },
])('%j is an event', (event) => {
  const behaviour = { startedAt: '2026-11-20T08:15:30Z', durationMs: 10, events: [event] }
  expect(parseCapture(aCapture({ behaviour }))).toHaveProperty('capture')
})
