import { describe, expect, test } from 'vitest'
import { Scorecard } from '../../db/scorecard.ts'
import { aScorecardDefinition } from '../scorecards.ts'

/** Every fault, as `place: message`. */
function faultsOf(members: object): string[] {
  const result = Scorecard.safeParse(aScorecardDefinition({ ...members }))
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

const faultsOfBins = (feature: string, ...bins: object[]) =>
  faultsOf({ characteristics: [{ feature, bins }] })

test('a definition is taken as it is, but for demonstration, which is false unless it is said', () => {
  const definition = aScorecardDefinition()
  expect(Scorecard.parse(definition)).toEqual({ ...definition, demonstration: false })
})

describe('a feature', () => {
  const bins = [{ missing: true, weight: 0 }]

  test.each(['age', '', 'constructor', '__proto__', 'Contacts_Count'])(
    '%j that is not registered is named',
    (name) => {
      expect(faultsOfBins(name, ...bins)).toEqual([
        `characteristics.0.feature: there is no feature ${JSON.stringify(name)}`,
      ])
    },
  )

  test('that none of the platforms has is named', () => {
    const characteristics = [{ feature: 'sms_received_count', bins }]
    expect(faultsOf({ platforms: ['web', 'ios'], characteristics })).toEqual([
      'characteristics.0.feature: sms_received_count is not computed for web, ios',
    ])
    expect(faultsOf({ platforms: ['web', 'android'], characteristics })).toEqual([])
  })

  test('has one characteristic', () => {
    const one = { feature: 'contacts_count', bins }
    expect(faultsOf({ characteristics: [one, { feature: 'device_brand', bins }, one] })).toEqual([
      'characteristics.2.feature: contacts_count has a characteristic already',
    ])
  })
})

describe('bins', () => {
  test('of a number are by from and below', () => {
    expect(faultsOfBins('contacts_count', { from: 1, weight: 0 }, { in: ['many'], weight: 0 })).toEqual([
      'characteristics.0.bins.1.in: contacts_count is a number: use from and below',
    ])
  })

  test('of a category or a boolean are by in, of its own type', () => {
    expect(faultsOfBins('device_brand', { below: 3, weight: 0 })).toEqual([
      'characteristics.0.bins.0: device_brand is a category: use in',
    ])
    expect(faultsOfBins('device_brand', { in: ['apple', true], weight: 0 })).toEqual([
      'characteristics.0.bins.0.in: device_brand is a category: every value of in must be a string',
    ])
    expect(faultsOfBins('device_rooted', { in: ['true'], weight: 0 })).toEqual([
      'characteristics.0.bins.0.in: device_rooted is a boolean: every value of in must be a boolean',
    ])
  })

  test.each([
    [5, 5],
    [5, 3],
  ])('from %d below %d hold nothing', (from, below) => {
    expect(faultsOfBins('contacts_count', { from, below, weight: 0 })).toEqual([
      'characteristics.0.bins.0: from must be less than below',
    ])
  })

  test.each(['missing', 'else'])('for %s are one at most', (kind) => {
    const bin = { [kind]: true, weight: 0 }
    expect(faultsOfBins('contacts_count', bin, bin)).toEqual([
      `characteristics.0.bins: more than one bin for ${kind}`,
    ])
  })

  test.each([
    { weight: 1 },
    { from: 1 },
    { from: 1, weight: 1, label: 'low' },
    { from: 1, in: ['a'], weight: 1 },
    { missing: false, weight: 1 },
    { missing: true, else: true, weight: 1 },
    { in: [], weight: 1 },
    { from: '1', weight: 1 },
    { from: 1, weight: null },
  ])('of no kind are named: %j', (bin) => {
    const faults = faultsOfBins('contacts_count', { below: 9, weight: 1 }, bin)
    expect(faults.length).toBeGreaterThan(0)
    for (const fault of faults) expect(fault).toMatch(/^characteristics\.0\.bins\.1(\.\w+)?: /)
  })

  test.each([Number.POSITIVE_INFINITY, -1_001, 1_001, Number.NaN])('may not weigh %d', (weight) => {
    expect(faultsOfBins('contacts_count', { below: 9, weight })).toEqual([
      expect.stringMatching(/^characteristics\.0\.bins\.0/),
    ])
  })

  test('are needed, and characteristics too', () => {
    expect(faultsOfBins('contacts_count')).toEqual([expect.stringMatching(/^characteristics\.0\.bins: /)])
    expect(faultsOf({ characteristics: [] })).toEqual([expect.stringMatching(/^characteristics: /)])
  })
})

test.each([
  [{ colour: 'blue' }, /^: .*"colour"/],
  [{ scaling: { baseScore: 1, baseOdds: 1, pointsToDoubleOdds: 1, pdo: 20 } }, /^scaling: .*"pdo"/],
  [
    { characteristics: [{ feature: 'contacts_count', bins: [{ below: 1, weight: 1 }], cap: 2 }] },
    /^characteristics\.0: .*"cap"/,
  ],
  [{ scaling: { baseScore: 1, baseOdds: 0, pointsToDoubleOdds: 1 } }, /^scaling\.baseOdds: /],
  [{ scaling: { baseScore: 1, baseOdds: 1, pointsToDoubleOdds: -20 } }, /^scaling\.pointsToDoubleOdds: /],
  [{ source: '' }, /^source: /],
  [{ name: undefined }, /^name: /],
  [{ bad: undefined }, /^bad: /],
  [{ platforms: [] }, /^platforms: /],
  [{ platforms: ['windows'] }, /^platforms\.0: /],
  [{ intercept: '2.2' }, /^intercept: /],
])('%j is refused with its place', (members, fault) => {
  expect(faultsOf(members)[0]).toMatch(fault)
})

test('a bin of two kinds is told what a bin is', () => {
  expect(faultsOfBins('contacts_count', { from: 1, in: ['a'], weight: 1 })).toEqual([
    expect.stringMatching(/must have a weight, one of from and below, in, missing: true or else: true/),
  ])
})

test('all faults are named at once', () => {
  const faults = faultsOf({
    characteristics: [
      { feature: 'nothing', bins: [{ missing: true, weight: 0 }] },
      { feature: 'contacts_count', bins: [{ in: ['a'], weight: 0 }] },
      { feature: 'device_brand', bins: [{ from: 1, weight: 0 }] },
    ],
  })
  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    'characteristics.0.feature',
    'characteristics.1.bins.0.in',
    'characteristics.2.bins.0',
  ])
})
