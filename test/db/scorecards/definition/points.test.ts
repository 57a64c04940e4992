import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { regionOf, regionsOf } from '../../../../db/scorecards/definition/regions.ts'
import { errorsOf, overOneInput } from '../../../support/scorecards.ts'

const MISSING = { missing: true, points: 0 }
const PLACE = 'model.characteristics.0.attributes'

const faultsOfBins = (attributes: readonly object[], input: Record<string, unknown> = {}) =>
  errorsOf(overOneInput(attributes, input))

describe('every number has exactly one bin', () => {
  test.each([
    ['closed and open ends meet', [{ to: 10 }, { above: 10, below: 20 }, { from: 20 }]],
    ['a single number between two intervals', [{ below: 10 }, { in: [10] }, { above: 10 }]],
    ['what else covers', [{ from: 3, below: 4 }, { else: true }]],
  ])('%s: nothing is wrong', (_, bins) => {
    expect(faultsOfBins([...bins.map((bin) => ({ ...bin, points: 1 })), MISSING])).toEqual([])
  })

  test.each([
    [[{ below: 10 }, { above: 10 }], `${PLACE}: x: 10 has no bin`],
    [[{ below: 10 }, { from: 20 }], `${PLACE}: x: 10 has no bin`],
    [[{ to: 10 }, { from: 20 }], `${PLACE}: x: above 10 and below 20, such as 15 has no bin`],
    [[{ from: 10 }], `${PLACE}: x: below 10, such as 9 has no bin`],
    [[{ to: 10 }], `${PLACE}: x: above 10, such as 11 has no bin`],
    [[{ to: 10 }, { from: 10 }], `${PLACE}.1: x: 10 has two bins, 0 and 1`],
    [[{ below: 20 }, { from: 10 }], `${PLACE}.1: x: 10 has two bins, 0 and 1`],
    [[{ in: [5] }, { in: [5] }, { else: true }], `${PLACE}.1: x: 5 has two bins, 0 and 1`],
  ])('%j: %s', (bins, fault) => {
    expect(faultsOfBins([...bins.map((bin) => ({ ...bin, points: 1 })), MISSING])).toContain(fault)
  })

  test('only valid numbers need one if others are treated as missing', () => {
    const bins = [{ from: 0, to: 100, points: 1 }, MISSING]
    expect(faultsOfBins(bins, { valid: { from: 0, to: 100 } })).toEqual([])
    expect(faultsOfBins(bins, { valid: { from: 0, to: 101 } })).toEqual([
      `${PLACE}: x: above 100, such as 101 has no bin`,
    ])
    expect(faultsOfBins(bins, { valid: { from: 0, to: 100 }, invalid: 'asIs' })).toHaveLength(2)
  })

  test('for any bounds, a gap or an overlap is found wherever a number is in no bin or in two', () => {
    const bin = fc.record(
      {
        from: fc.integer({ min: -3, max: 3 }),
        below: fc.integer({ min: -3, max: 3 }),
        in: fc.uniqueArray(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: [] },
    )
    const holds = (b: { from?: number; below?: number; in?: number[] }, x: number) =>
      b.in?.includes(x) ||
      ((b.from !== undefined || b.below !== undefined) && x >= (b.from ?? x) && x < (b.below ?? x + 1))
    fc.assert(
      fc.property(fc.array(bin, { minLength: 1, maxLength: 4 }), (bins) => {
        const sound = bins.filter((b) => (b.from ?? -9) < (b.below ?? 9))
        const { cuts, bins: regions } = regionsOf(sound)
        for (let x = -4; x <= 4; x += 0.5)
          expect(regions[regionOf(cuts, x)]).toEqual(
            sound.flatMap((b, at) => (holds(b, x) ? [at] : [])).slice(0, 2),
          )
      }),
      { numRuns: 500 },
    )
  })
})

describe('every category and truth value has exactly one bin', () => {
  const brand = { feature: 'device_brand', type: 'category' }
  const rooted = { feature: 'device_rooted', type: 'boolean' }

  test('categories need else, unless the valid ones are all named', () => {
    const bins = [{ in: ['a'], points: 1 }, { in: ['b'], points: 2 }, MISSING]
    expect(faultsOfBins(bins, brand)).toEqual([`${PLACE}: x: a category that no bin names has no bin`])
    expect(faultsOfBins(bins, { ...brand, valid: { values: ['a', 'b'] } })).toEqual([])
    expect(faultsOfBins(bins, { ...brand, valid: { values: ['a', 'b', 'c'] } })).toEqual([
      `${PLACE}: x: "c" has no bin`,
    ])
    expect(faultsOfBins([...bins, { else: true, points: 0 }], brand)).toEqual([])
  })

  test('two bins of one category are reported', () => {
    const bins = [{ in: ['a', 'b'], points: 1 }, { in: ['b'], points: 2 }, { else: true, points: 0 }, MISSING]
    expect(faultsOfBins(bins, brand)).toEqual([`${PLACE}.1: x: "b" has two bins, 0 and 1`])
  })

  test('true and false both need one', () => {
    expect(faultsOfBins([{ in: [true], points: 1 }, MISSING], rooted)).toEqual([
      `${PLACE}: x: false has no bin`,
    ])
    expect(faultsOfBins([{ in: [true, false], points: 1 }, MISSING], rooted)).toEqual([])
  })

  test('values have the type of the input', () => {
    expect(faultsOfBins([{ in: ['a', 1], points: 1 }, { else: true, points: 1 }, MISSING], brand)).toEqual([
      `${PLACE}.0.in.1: x is a category: this must be a string`,
    ])
    expect(faultsOfBins([{ from: 3, points: 1 }, { else: true, points: 1 }, MISSING], brand)).toEqual([
      `${PLACE}.0: x is a category: use in`,
    ])
    expect(faultsOfBins([{ in: ['true'], points: 1 }, { else: true, points: 1 }, MISSING], rooted)).toEqual([
      `${PLACE}.0.in.0: x is a boolean: this must be a boolean`,
    ])
  })
})

describe('missing, special and else', () => {
  const all = { else: true, points: 0 }

  test('missing needs a bin, unless the input is required', () => {
    expect(faultsOfBins([all])).toEqual([`${PLACE}: x: missing has no bin`])
    expect(faultsOfBins([all], { required: true })).toEqual([])
    expect(faultsOfBins([all, MISSING, MISSING])).toEqual([`${PLACE}.2: x: missing has two bins, 1 and 2`])
  })

  test('each special value needs one', () => {
    const special = { special: [-999, -998] }
    expect(faultsOfBins([all, MISSING], special)).toEqual([
      `${PLACE}: x: the special value -999 has no bin`,
      `${PLACE}: x: the special value -998 has no bin`,
    ])
    expect(faultsOfBins([{ special: true, points: 1 }, all, MISSING], special)).toEqual([])
    expect(faultsOfBins([{ special: [-999], points: 1 }, all, MISSING], special)).toEqual([
      `${PLACE}: x: the special value -998 has no bin`,
    ])
    expect(
      faultsOfBins([{ special: [-1], points: 1 }, { special: true, points: 2 }, all, MISSING], special),
    ).toEqual([`${PLACE}.0.special.0: -1 is not a special value of x`])
    expect(faultsOfBins([{ special: true, points: 1 }, all, MISSING])).toEqual([
      `${PLACE}.0.special: x has no special values`,
    ])
  })

  test('bins after else are never reached', () => {
    expect(faultsOfBins([all, { from: 3, points: 1 }, MISSING])).toEqual([
      `${PLACE}.1: x: this bin is never reached, since else comes before it`,
    ])
  })

  test('an empty bin or interval is reported', () => {
    expect(faultsOfBins([{ points: 3 }, all, MISSING])).toEqual([
      `${PLACE}.0: must have one of from, above, to, below, in, missing, special, when and else`,
    ])
    expect(faultsOfBins([{ from: 5, below: 5, points: 3 }, all, MISSING])).toEqual([
      `${PLACE}.0: holds no number: 5 is not less than 5`,
    ])
    expect(faultsOfBins([{ from: 5, above: 4, points: 3 }, all, MISSING])).toEqual([
      `${PLACE}.0: give from or above, not both`,
    ])
  })
})

describe('reasons and coefficients', () => {
  const attributes = [{ else: true, points: 0 }, MISSING]
  const withCharacteristic = (members: object, model: object = {}) => {
    const card = overOneInput(attributes)
    const characteristics = [{ name: 'x', input: 'x', attributes, ...members }]
    return { ...card, model: { kind: 'points', characteristics, ...model } }
  }

  test('a reason code without a text is rejected with its path', () => {
    expect(errorsOf(withCharacteristic({ reasonCode: 'R1', baseline: 5 }))).toEqual([
      'model.characteristics.0.reasonCode: the reason "R1" has no text in en',
    ])
    const german = { reasons: { texts: { R1: { de: 'Zu wenige' } } } }
    expect(errorsOf({ ...withCharacteristic({ reasonCode: 'R1' }), ...german })).toHaveLength(1)
    const inGerman = { reasons: { ...german.reasons, language: 'de' } }
    expect(errorsOf({ ...withCharacteristic({ reasonCode: 'R1' }), ...inGerman })).toEqual([])
  })

  test('a baseline needs a reason code', () => {
    expect(errorsOf(withCharacteristic({ baseline: 5 }))[0]).toBe(
      `${PLACE}.0: x has a baseline, so its points need a reason code, here or with the characteristic`,
    )
  })

  test('coefficients, weights of evidence and the intercept go together', () => {
    expect(errorsOf(withCharacteristic({ coefficient: 1 }))).toEqual([
      'model.characteristics.0.coefficient: a coefficient needs the intercept of the model',
    ])
    expect(errorsOf(withCharacteristic({}, { intercept: 1 }))).toEqual([
      'model.characteristics.0: the model has an intercept, so x needs a coefficient',
      `${PLACE}.0: the model has an intercept, so this needs woe`,
      `${PLACE}.1: the model has an intercept, so this needs woe`,
    ])
  })

  test('without an input, bins need conditions, and else is required', () => {
    const when = { input: 'x', op: '>', value: 3 }
    const bare = (bins: object[]) =>
      errorsOf({
        ...overOneInput([]),
        model: { kind: 'points', characteristics: [{ name: 'y', attributes: bins }] },
      })
    expect(
      bare([
        { when, points: 1 },
        { else: true, points: 0 },
      ]),
    ).toEqual([])
    expect(bare([{ when, points: 1 }])).toEqual([
      `${PLACE}: y has no bin for values that match none of its conditions: add else`,
    ])
    expect(
      bare([
        { from: 1, points: 1 },
        { else: true, points: 0 },
      ]),
    ).toEqual([`${PLACE}.0: y names no input: its attributes can only use when or else`])
    expect(
      bare([
        { when: { ...when, input: 'z' }, points: 1 },
        { else: true, points: { input: 'q' } },
      ]),
    ).toEqual([`${PLACE}.0.when: there is no input "z"`, `${PLACE}.1.points: there is no input "q"`])
  })
})
