import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Features } from '../../../db/capture/features.ts'
import { scoreNaively } from '../../../scripts/benchmark/scoring/naive-points.ts'
import { makePointsCard, makeRows } from '../../../scripts/benchmark/scoring/points-card.ts'
import { compileScorecard } from '../../../worker/scoring/compile-scorecard.ts'
import { aScorecard, overOneInput } from '../../support/scorecards.ts'

const MISSING = { missing: true, points: 99 }

/** Returns the points and the label of the bin of a value. */
function binOf(attributes: object[], x: unknown, input: Record<string, unknown> = {}) {
  const card = aScorecard(overOneInput(attributes, input))
  const scored = compileScorecard(card).score({ [card.inputs[0]?.feature ?? '']: x }, 'android')
  return scored.value === null ? scored.reason : [scored.value, scored.contributions[0]?.bin]
}

describe('a number', () => {
  const bins = [{ below: 10, points: 1 }, { from: 10, to: 20, points: 2 }, { above: 20, points: 3 }, MISSING]

  test.each([
    [-1e12, [1, '< 10']],
    [9.999999, [1, '< 10']],
    [10, [2, '[10, 20]']],
    [20, [2, '[10, 20]']],
    [20.000001, [3, '> 20']],
    [undefined, [99, 'missing']],
    [null, [99, 'missing']],
    [Number.NaN, [99, 'missing']],
    [0, [1, '< 10']],
    [-0, [1, '< 10']],
  ])('%j', (x, expected) => {
    expect(binOf(bins, x)).toEqual(expected)
  })

  test('between two intervals can have its own bin', () => {
    const around = [
      { below: 0, points: 1 },
      { in: [0], label: 'none', points: 2 },
      { above: 0, points: 3 },
      MISSING,
    ]
    expect([-1, 0, -0, 1].map((x) => binOf(around, x))).toEqual([
      [1, '< 0'],
      [2, 'none'],
      [2, 'none'],
      [3, '> 0'],
    ])
  })

  test('with a special meaning belongs to no interval and not to else', () => {
    const input = { special: [-999, 7], missing: [-1] }
    const around = [
      { special: [-999], points: 5 },
      { below: 5, points: 1 },
      { special: [7], missing: true, points: 6 },
      { else: true, points: 2 },
    ]
    expect([-999, -998, 7, 8, -1, undefined].map((x) => binOf(around, x, input))).toEqual([
      [5, 'special -999'],
      [1, '< 5'],
      [6, 'special 7 or missing'],
      [2, 'else'],
      [6, 'special 7 or missing'],
      [6, 'special 7 or missing'],
    ])
  })

  test('that is invalid counts as missing, as it is, as another value, or gives no score', () => {
    const invalidAs = (invalid: unknown, x: number) =>
      binOf([{ from: 0, points: 1 }, { below: 0, points: 2 }, MISSING], x, {
        valid: { from: -5, to: 5 },
        invalid,
      })
    expect([-6, 6, -5, 5].map((x) => invalidAs('asMissing', x)?.[0])).toEqual([99, 99, 2, 1])
    expect(invalidAs('asIs', -6)).toEqual([2, '< 0'])
    expect(invalidAs({ value: 4 }, -6)).toEqual([1, '>= 0'])
    expect(invalidAs('noScore', -6)).toBe('x (contacts_count) has an invalid value: -6')
  })
})

describe('a category or truth value', () => {
  const brand = { feature: 'device_brand', type: 'category', missing: ['NA'] }
  const bins = [{ in: ['a', 'b'], points: 1 }, { in: [''], points: 2 }, { else: true, points: 3 }, MISSING]

  test.each([
    ['a', [1, 'a, b']],
    ['A', [3, 'else']],
    ['', [2, '""']],
    ['NA', [99, 'missing']],
    ['toString', [3, 'else']],
    [undefined, [99, 'missing']],
  ])('%j', (x, expected) => {
    expect(binOf(bins, x, brand)).toEqual(expected)
  })

  test('can read a truth value as itself, as a number or as a category', () => {
    const truth = (type: string, yes: unknown) =>
      [true, false, undefined].map(
        (x) =>
          binOf([{ in: [yes], points: 1 }, { else: true, points: 2 }, MISSING], x, {
            feature: 'device_rooted',
            type,
          })?.[0],
      )
    expect(truth('boolean', true)).toEqual([1, 2, 99])
    expect(truth('number', 1)).toEqual([1, 2, 99])
    expect(truth('category', 'true')).toEqual([1, 2, 99])
  })
})

test('a missing required input gives no score', () => {
  expect(binOf([{ else: true, points: 1 }], undefined, { required: true })).toBe(
    'x (contacts_count) is required but missing',
  )
})

describe('conditions and expressions', () => {
  const inputs = [
    { name: 'x', feature: 'contacts_count', type: 'number' },
    { name: 'y', feature: 'device_brand', type: 'category' },
  ]
  const evaluate = (attributes: object[], row: object) => {
    const model = { kind: 'points', characteristics: [{ name: 'c', attributes }] }
    const scored = compileScorecard(aScorecard({ inputs, model })).scoreRow(row as never, 'ios')
    return scored.value === null ? scored.reason : scored.value
  }
  const over3 = { input: 'x', op: '>', value: 3 }
  const isA = { input: 'y', op: 'in', values: ['a', 'b'] }

  test.each([
    [{ all: [over3, isA] }, [1, 0, 0, 0, 0]],
    [{ any: [over3, isA] }, [1, 1, 1, 0, 1]],
    [{ not: over3 }, [0, 1, 0, 0, 0]],
    [{ not: { all: [over3, isA] } }, [0, 1, 1, 0, 0]],
    [{ input: 'x', op: 'missing' }, [0, 0, 0, 1, 1]],
    [{ input: 'y', op: 'not in', values: ['a'] }, [0, 0, 1, 0, 0]],
    [{ input: 'y', op: '>', value: 3 }, [0, 0, 0, 0, 0]],
  ])('%j: missing inputs make it neither true nor false', (when, expected) => {
    const rows = [{ x: 4, y: 'a' }, { x: 2, y: 'a' }, { x: 4, y: 'z' }, {}, { y: 'a' }]
    expect(
      rows.map((row) =>
        evaluate(
          [
            { when, points: 1 },
            { else: true, points: 0 },
          ],
          row,
        ),
      ),
    ).toEqual(expected)
  })

  test('the first matching condition selects the bin; intervals and missing are tested in order', () => {
    const when = { input: 'y', op: '=', value: 'a' }
    const attributes = [
      { below: 0, points: 1 },
      { when, points: 2 },
      { from: 0, missing: true, points: 3 },
    ]
    const card = compileScorecard(
      aScorecard({
        inputs,
        model: { kind: 'points', characteristics: [{ name: 'c', input: 'x', attributes }] },
      }),
    )
    const rows = [{ x: -1, y: 'a' }, { x: 1, y: 'a' }, { x: 1, y: 'b' }, { y: 'b' }, { y: 'a' }]
    expect(rows.map((row) => card.scoreRow(row, 'ios').value)).toEqual([1, 2, 3, 3, 2])
  })

  test('points may be computed; a result that is not finite gives no score', () => {
    const points = {
      op: '+',
      args: [{ op: '*', args: [{ input: 'x' }, 3] }, { op: 'ln', args: [{ input: 'x' }] }, 2],
    }
    expect(evaluate([{ else: true, points }], { x: 1 })).toBe(5)
    const none = 'the points of c cannot be computed from its inputs'
    expect(evaluate([{ else: true, points }], { x: -1 })).toBe(none)
    expect(evaluate([{ else: true, points }], {})).toBe(none)
    expect(evaluate([{ else: true, points: { op: '/', args: [1, { input: 'x' }] } }], { x: 0 })).toBe(none)
  })
})

test('contributions have input, bin, points, baseline and reason code, and add up to the score', () => {
  const card = aScorecard({
    inputs: [
      { name: 'rooted', feature: 'device_rooted', type: 'boolean' },
      { name: 'contacts', feature: 'contacts_count', type: 'number' },
    ],
    model: {
      kind: 'points',
      basePoints: 500,
      characteristics: [
        {
          ...{ name: 'Rooted device', input: 'rooted', reasonCode: 'R1', baseline: 10 },
          attributes: [
            { in: [true], points: -40.5, reasonCode: 'R9' },
            { in: [false], points: 10 },
            { missing: true, points: 0 },
          ],
        },
        {
          name: 'Contacts',
          input: 'contacts',
          attributes: [
            { else: true, points: 7 },
            { missing: true, points: 1 },
          ],
        },
      ],
    },
    reasons: { texts: { R1: { en: 'one' }, R9: { en: 'nine' } } },
  })
  expect(compileScorecard(card).score({ device_rooted: true }, 'android')).toMatchObject({
    value: 461, // 500 - 40.5 + 1 = 460.5
    unrounded: 460.5,
    reasons: ['R9'],
    contributions: [
      {
        characteristic: 'Rooted device',
        input: true,
        bin: 'true',
        points: -40.5,
        baseline: 10,
        reasonCode: 'R9',
      },
      {
        characteristic: 'Contacts',
        input: null,
        bin: 'missing',
        points: 1,
        baseline: null,
        reasonCode: null,
      },
    ],
  })
})

test('any card without conditions scores as if testing bin by bin, for any bounds', () => {
  const card = makePointsCard()
  const compiled = compileScorecard(card)
  for (const row of makeRows(card, 3_000, 'differential')) {
    const [scored, naive] = [compiled.score(row, 'android'), scoreNaively(card, row)]
    expect(scored).toMatchObject({ unrounded: naive.value, logOdds: naive.logOdds, reasons: naive.reasons })
  }

  const value = fc.oneof(
    fc.integer({ min: -6, max: 6 }),
    fc.double({ min: -6, max: 6, noNaN: true }),
    fc.constant(undefined),
  )
  const cuts = fc.uniqueArray(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(
      cuts,
      fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      value,
      (unsorted, isClosed, contacts_count) => {
        const sorted = unsorted.toSorted((a, b) => a - b)
        // each cut belongs to the bin above it or to the one below
        const low = (n: number) => (isClosed[n] ? { from: sorted[n] } : { above: sorted[n] })
        const high = (n: number) => (isClosed[n] ? { below: sorted[n] } : { to: sorted[n] })
        const attributes = [
          ...sorted.map((_, n) => ({ ...(n > 0 && low(n - 1)), ...high(n), points: n })),
          { ...low(sorted.length - 1), points: sorted.length },
          MISSING,
        ]
        const any = aScorecard(overOneInput(attributes))
        const features: Features = { contacts_count }
        expect(compileScorecard(any).score(features, 'web').value).toBe(scoreNaively(any, features).value)
      },
    ),
    { numRuns: 500 },
  )
})
