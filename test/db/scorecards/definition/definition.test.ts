import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PLATFORMS } from '../../../../db/capture/capture.ts'
import { BuiltScorecard, Scorecard } from '../../../../db/scorecards/definition/definition.ts'
import { versionOf } from '../../../../db/scorecards/definition/version.ts'
import { aScorecard, aScorecardDefinition, errorsOf } from '../../../support/scorecards.ts'

const input = (members: object) => ({
  inputs: [{ name: 'contacts', feature: 'contacts_count', type: 'number', ...members }],
})

describe('an input', () => {
  test.each(['age', '', 'constructor', '__proto__', 'Contacts_Count'])(
    'with the unknown feature %j is named',
    (feature) => {
      expect(errorsOf(input({ feature }))).toEqual([
        `inputs.0.feature: there is no feature ${JSON.stringify(feature)}`,
      ])
    },
  )

  test('without a feature can be verified, but not deployed', () => {
    const { feature: _, ...unmapped } = input({}).inputs[0] as { feature: string }
    const definition = aScorecardDefinition({ inputs: [unmapped] })
    expect(BuiltScorecard.safeParse(definition).success).toBe(true)
    expect(Scorecard.safeParse(definition).error?.issues).toMatchObject([
      { path: ['inputs', 0, 'feature'], message: 'contacts has no feature: specify one' },
    ])
  })

  test('with a feature that none of the platforms has is named', () => {
    expect(errorsOf({ ...input({ feature: 'sms_received_count' }), platforms: ['web', 'ios'] })).toEqual([
      'inputs.0.feature: sms_received_count is not computed for web, ios',
    ])
    expect(errorsOf({ ...input({ feature: 'sms_received_count' }), platforms: ['web', 'android'] })).toEqual(
      [],
    )
  })

  test('needs a type that its feature can be read as', () => {
    expect(errorsOf(input({ feature: 'device_brand' }))).toEqual([
      'inputs.0.feature: device_brand is a category, not a number',
    ])
    expect(errorsOf(input({ feature: 'device_rooted' }))).toEqual([])
  })

  test.each([
    [{ missing: ['NA'] }, 'inputs.0.missing.0: contacts is a number: this must be a number'],
    [{ missing: [-1], special: [-1] }, 'inputs.0.special.0: -1 is already a missing value'],
    [{ valid: { from: 5, to: 1 } }, 'inputs.0.valid: from must not be more than to'],
    [{ valid: { to: 10 }, invalid: { value: 11 } }, 'inputs.0.invalid.value: must be a valid value'],
    [{ invalid: { value: 'none' } }, 'inputs.0.invalid.value: contacts is a number: this must be a number'],
  ])('%j: %s', (members, error) => {
    expect(errorsOf(input(members))).toContain(error)
  })

  test('has a unique name, and is declared if the model reads it', () => {
    const [one] = input({}).inputs
    expect(errorsOf({ inputs: [one, one] })).toContain('inputs.1.name: there is an input contacts already')
    expect(errorsOf({ inputs: [{ ...one, name: 'other' }] })).toEqual([
      'model.characteristics.0.input: there is no input "contacts"',
    ])
  })
})

const { model, ...withoutModel } = aScorecardDefinition() as { model: object }
const segment = { name: 'all', when: {}, model }

test.each([
  [{ colour: 'blue' }, /^: .*"colour"/],
  [{ format: 'scorecard/2' }, /^format: /],
  [{ bad: undefined }, /^bad: /],
  [{ source: {} }, /^source\.tool: /],
  [{ source: { tool: 'x', sha256: 'abc' } }, /^source\.sha256: /],
  [{ platforms: [] }, /^platforms: /],
  [{ platforms: ['windows'] }, /^platforms\.0: /],
  [{ model: { kind: 'guess' } }, /^model\.kind: /],
  [{ segments: [segment] }, /^model: give model or segments$/],
  [{ model: undefined }, /^model: give model or segments$/],
  [{ scaling: { pdo: 0, baseScore: 1, baseOdds: 1, odds: 'good:bad' } }, /^scaling\.pdo: /],
  [{ scaling: { pdo: 20, baseScore: 1, baseOdds: 1 } }, /^scaling\.odds: /],
  [
    { scaling: undefined },
    /^probability: a probability requires scaling, or an intercept, coefficients and woe/,
  ],
  [{ probability: { from: 'logit' } }, /^probability\.from: a points model needs an intercept/],
  [{ probability: { from: 'model' } }, /^probability\.from: a points model has no probability of its own/],
  [{ probability: { from: 'table' } }, /^probability\.table: table and from: table go together/],
  [
    {
      probability: {
        from: 'table',
        table: [{ below: 5, probability: 1 }, { below: 4, probability: 1 }, { probability: 0 }],
      },
    },
    /^probability\.table\.1\.below: below must be more than that of the one before/,
  ],
  [
    { probability: { from: 'table', table: [{ below: 5, probability: 1 }] } },
    /^probability\.table\.0\.below: the last one/,
  ],
  [{ probability: { floor: 0.5, ceiling: 0.1 } }, /^probability\.floor: /],
  [{ output: { from: 'scaling' } }, /^output\.from: a points model needs an intercept/],
  [{ output: { min: 5, max: 5 } }, /^output\.min: /],
  [
    { exclusions: [{ when: { predicate: { input: 'y', op: 'missing' } }, reason: 'no' }] },
    /^exclusions\.0\.when\.predicate: there is no input "y"/,
  ],
  [
    { exclusions: [{ when: { predicate: { input: 'contacts', op: '~' } }, reason: 'no' }] },
    /^exclusions\.0\.when\.predicate: must be \{input, op, value\}/,
  ],
  [{ verification: [{ inputs: { z: 1 } }] }, /^verification\.0\.inputs\.z: there is no input "z"/],
  [
    { expected: { scores: [{ below: 5, share: 0.5 }, { share: 0.4 }] } },
    /^expected\.scores: the shares add up to 0.9, not to 1/,
  ],
  [
    { expected: { characteristics: { contact: { missing: 1 } } } },
    /^expected\.characteristics\.contact: there is no characteristic "contact"/,
  ],
  [
    { expected: { characteristics: { contacts: { '< 100': 0.5, '>100': 0.5 } } } },
    /^expected\.characteristics\.contacts\.>100: contacts has no bin ">100"; its bins are < 100, >= 100, missing$/,
  ],
  [{ inputs: [{ name: '__proto__', type: 'number' }] }, /^inputs\.0\.name: is a reserved name/],
])('%j is rejected with its path', (members, error) => {
  expect(errorsOf(members)[0]).toMatch(error)
})

test('segments replace a model', () => {
  expect(Scorecard.safeParse({ ...withoutModel, segments: [segment] }).success).toBe(true)
})

test('all errors are listed at once', () => {
  expect(
    errorsOf({ bad: 7, platforms: [], ...input({ type: 'date' }) }).map((error) => error.split(':')[0]),
  ).toEqual(['bad', 'platforms', 'inputs.0.type'])
})

test('a version depends on the content of a definition, not on the order of its members', () => {
  const card = aScorecard()
  const turned = Scorecard.parse(Object.fromEntries(Object.entries(card).reverse()))
  expect(versionOf(turned)).toBe(versionOf(card))
  expect(versionOf(card)).toMatch(/^[\da-f]{64}$/)
  expect(versionOf(aScorecard({ name: 'Other' }))).not.toBe(versionOf(card))
})

describe('the demonstration scorecards', () => {
  const cards = ['demo-mobile', 'demo-web'].map((name) => {
    const file = new URL(`../../../../scripts/scorecards/${name}.json`, import.meta.url)
    return Scorecard.parse(JSON.parse(readFileSync(file, 'utf8')))
  })

  test('state that they are demonstrations and where their numbers come from', () => {
    for (const { demonstration, name, description, source, bad } of cards) {
      expect(demonstration).toBe(true)
      expect(name).toContain('Demonstration')
      expect(description).toContain('must not decide')
      expect(source.note).toContain('No data')
      expect(source.note).toMatch(/Berg.*2020/)
      expect(bad).toContain('90 days')
    }
  })

  test('are one for each platform, with reasons in English and German', () => {
    for (const platform of PLATFORMS)
      expect(cards.filter(({ platforms }) => platforms.includes(platform))).toHaveLength(1)
    for (const { reasons } of cards)
      for (const text of Object.values(reasons.texts)) expect(Object.keys(text)).toEqual(['en', 'de'])
  })
})
