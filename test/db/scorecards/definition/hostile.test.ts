import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BuiltScorecard } from '../../../../db/scorecards/definition/definition.ts'
import { compileScorecard } from '../../../../worker/scoring/compile-scorecard.ts'
import { PmmlError } from '../../../../worker/scoring/pmml/errors.ts'
import { aScorecardDefinition, errorsOf, overOneInput } from '../../../support/scorecards.ts'

type Json = Record<string, unknown>

const nested = (times: number, innermost: unknown, around: (inner: unknown) => unknown): unknown => {
  let value = innermost
  for (let n = 0; n < times; n++) value = around(value)
  return value
}

const isMissing = { input: 'x', op: 'missing' }
const AROUND: Record<string, (inner: unknown) => unknown> = {
  not: (not) => ({ not }),
  all: (inner) => ({ all: [inner] }),
  any: (inner) => ({ any: [isMissing, inner] }),
}

const withWhen = (when: unknown) =>
  overOneInput([
    { when, points: 1 },
    { else: true, points: 0 },
  ])

const pmml = (model: Json): Json => ({
  inputs: [{ name: 'x', feature: 'contacts_count', type: 'number' }],
  model: {
    ...{ kind: 'pmml', version: '4.4', functions: [], derived: [] },
    dictionary: [{ name: 'x', optype: 'continuous', dataType: 'double' }],
    model,
  },
})

const common = {
  ...{ function: 'regression', derived: [], targets: [], outputs: [] },
  fields: [{ name: 'x', usage: 'active', missing: 'asIs', invalid: 'returnInvalid', outliers: 'asIs' }],
}

const tree = (nodes: readonly object[], members: Json = {}): Json => ({
  ...{ element: 'TreeModel', ...common, missingValueStrategy: 'none', missingValuePenalty: 1 },
  ...{ noTrueChildStrategy: 'returnNullPrediction', nodes, ...members },
})

describe('a definition that nests too deep is rejected with its path, without a stack overflow', () => {
  test.each(Object.entries(AROUND))('conditions by %s', (_, around) => {
    expect(errorsOf(withWhen(nested(40, isMissing, around)))).toEqual([])
    for (const times of [101, 100_000])
      expect(errorsOf(withWhen(nested(times, isMissing, around)))).toContain(
        'model.characteristics.0.attributes.0.when: conditions nest at most 100 objects and lists deep',
      )
  })

  test('expressions', () => {
    const points = (times: number) => nested(times, 1, (inner) => ({ op: 'abs', args: [inner] }))
    const faults = (times: number) =>
      errorsOf(overOneInput([{ else: true, points: points(times) }], { required: true }))
    expect(faults(45)).toEqual([])
    // a union, of a number and an expression, has one message for both
    for (const times of [51, 100_000])
      expect(faults(times)).toEqual([expect.stringMatching(/attributes\.0\.points: .*at most 100 .* deep/)])
  })

  test('trees of PMML', () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, at) => ({
        ...{ score: '1', predicate: { element: 'True' }, children: at === length - 1 ? [] : [at + 1] },
      }))
    expect(errorsOf(pmml(tree(chain(200))))).toEqual([])
    expect(errorsOf(pmml(tree(chain(100_000))))).toEqual([
      'model.model.nodes.250: nodes are nested more than 250 deep',
    ])
  })

  test('trees', () => {
    const trees = (splits: number) => {
      const count = 2 * splits + 1
      const isSplit = (node: number) => node % 2 === 0 && node < count - 1
      const list = (of: (node: number) => number) => Array.from({ length: count }, (_, node) => of(node))
      return {
        inputs: [{ name: 'x', feature: 'contacts_count', type: 'number' }],
        model: {
          ...{ kind: 'trees', tool: 'xgboost', objective: 'logistic', inputs: [{ name: 'x' }], roots: [0] },
          left: list((node) => (isSplit(node) ? node + 1 : 0)),
          right: list((node) => (isSplit(node) ? node + 2 : 0)),
          ...{ feature: list(() => 0), value: list(() => 0.5), flags: list(() => 0) },
        },
      }
    }
    expect(errorsOf(trees(900))).toEqual([])
    expect(errorsOf(trees(100_000))).toEqual(['model.left.2000: a tree is deeper than 1000 splits'])
  })

  test('models of PMML', () => {
    const model = nested(
      50_000,
      tree([{ score: '1', predicate: { element: 'True' }, children: [] }]),
      (inner) => ({
        ...{ element: 'MiningModel', ...common, method: 'sum', missingPredictionTreatment: 'continue' },
        ...{ missingThreshold: 1, segments: [{ weight: 1, predicate: { element: 'True' }, model: inner }] },
      }),
    )
    expect(errorsOf(pmml(model as Json)).join()).toContain('models are nested more than 8 deep')
  })
})

test('bins of very many numbers are checked in seconds of processor time', () => {
  const begun = process.threadCpuUsage()
  const attributes = Array.from({ length: 500 }, (_, bin) => ({
    ...{ in: Array.from({ length: 100 }, (_, n) => n * 1_000 + bin + 0.5), above: bin, points: 1 },
  }))
  expect(errorsOf(overOneInput(attributes)).length).toBeGreaterThan(0)
  expect(process.threadCpuUsage(begun).user / 1e6).toBeLessThan(8) // 15 if each number were compared with each bin
})

/** JSON values of the kinds that definitions have, for places where they do not belong. */
const anything = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom<unknown>(
      0,
      1,
      -1,
      1e308,
      0.5,
      '',
      'x',
      'contacts',
      '__proto__',
      'constructor',
      true,
      null,
    ),
    fc.constantFrom<unknown>(isMissing, { input: 'contacts' }, { element: 'True' }, { below: 1, points: 2 }),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        'not',
        'all',
        'any',
        'op',
        'args',
        'input',
        'when',
        'else',
        'points',
        'in',
        'kind',
        'model',
        'name',
      ),
      tie('any'),
      { maxKeys: 4 },
    ),
  ),
})).any

/** Every path of a definition. */
function placesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]]
  return [[...path], ...Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...path, name]))]
}

function replaced(value: unknown, [name, ...path]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by
  const inner = replaced((value as Json)[name], path, by)
  if (Array.isArray(value)) return value.with(Number(name), inner)
  return { ...(value as Json), [name]: inner }
}

const SEEDS = [
  aScorecardDefinition({
    segments: undefined,
    exclusions: [{ when: { predicate: { all: [{ not: isMissing }] } }, reason: 'no' }],
    expected: { characteristics: { contacts: { missing: 1 } } },
  }),
  aScorecardDefinition(
    pmml(
      tree([
        { predicate: { element: 'True' }, children: [1, 2], score: '2' },
        {
          predicate: { element: 'SimplePredicate', field: 'x', operator: 'lessThan', value: '3' },
          ...{ children: [], score: '1' },
        },
        { predicate: { element: 'True' }, children: [], score: '3' },
      ]),
    ),
  ),
].map((seed) => JSON.parse(JSON.stringify(seed)) as Json)

test('any value at any path of a definition is either rejected, or the definition compiles and scores', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SEEDS), fc.nat(), anything, (seed, place, value) => {
      const places = placesOf(seed)
      const changed = replaced(seed, places[place % places.length] ?? [], value)
      const read = BuiltScorecard.safeParse(changed)
      if (!read.success) return
      try {
        const { scoreRow } = compileScorecard(read.data)
        for (const row of [{}, { contacts: 5, x: 1 }, { contacts: 'text', x: null }, { constructor: 1 }]) {
          const { value: score } = scoreRow(row, 'ios')
          if (score !== null) expect(Number.isFinite(score)).toBe(true)
        }
      } catch (error) {
        if (!(error instanceof PmmlError)) throw error
      }
    }),
    { numRuns: 2_000 },
  )
})
