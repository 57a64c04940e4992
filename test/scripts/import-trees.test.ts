import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { TreesModel } from '../../db/scorecards/definition/trees.ts'
import type { FeatureMap } from '../../scripts/scorecards/import/feature-map.ts'
import { importScorecard } from '../../scripts/scorecards/import/import-scorecard.ts'
import type { ImportOptions } from '../../scripts/scorecards/import/import-types.ts'
import type { ImportedTrees, TreesOptions } from '../../scripts/scorecards/import/trees/imported-trees.ts'
import { readJson } from '../../scripts/scorecards/import/trees/read-json.ts'
import { readLightgbm } from '../../scripts/scorecards/import/trees/read-lightgbm.ts'
import { readXgboostDump } from '../../scripts/scorecards/import/trees/read-xgboost-dump.ts'
import { readXgboostModel } from '../../scripts/scorecards/import/trees/read-xgboost-model.ts'
import { compileScorecard } from '../../worker/scoring/compile-scorecard.ts'
import type { Inputs } from '../../worker/scoring/model.ts'
import { compileTrees } from '../../worker/scoring/trees.ts'
import { XGBOOST, XGBOOST_DUMP, XGBOOST_ROWS } from '../support/xgboost-model.ts'

describe('XGBoost', () => {
  test.each([
    ['save_model', () => readXgboostModel(readJson(XGBOOST, 'm.json'), 'm.json', {})],
    ['dump_model', () => readXgboostDump(JSON.parse(XGBOOST_DUMP), 'd.json', DUMP_OPTIONS)],
  ])('a file of %s gives the same margins as XGBoost 1.7.4, to the last bit', (_, read) => {
    const imported = read()
    const model = compile(imported)
    expect(model.inputs).toEqual(['age', 'grade'])
    for (const [[age, grade, load], probability, margin, ofAge, ofGrade] of XGBOOST_ROWS) {
      const outcome = evaluate(imported, { age, grade, load })
      expect(outcome.logOdds).toBe(margin)
      expect(1 / (1 + Math.exp(-(outcome.logOdds ?? 0)))).toBeCloseTo(probability, 6)
      expect(outcome.contributions.map(({ points }) => points)).toEqual([
        expect.closeTo(ofAge, 5),
        expect.closeTo(ofGrade, 5),
      ])
    }
  })

  test('a base_score written as a list of one gives the same result', () => {
    const newer = XGBOOST.replace('"3E-1"', '"[3E-1]"').replace('[1,7,4]', '[3,1,0]')
    expect(evaluate(readXgboostModel(readJson(newer, 'm'), 'm', {}), { age: 2, grade: 4 }).logOdds).toBe(
      -1.3860397338867188,
    )
  })

  test('the base score of logitraw and squarederror is a margin, as in XGBoost 1.7.4', () => {
    const logistic = evaluate(readXgboost(), { age: 2, grade: 4 }).logOdds ?? Number.NaN
    for (const name of ['binary:logitraw', 'reg:squarederror']) {
      const { value } = evaluate(readXgboost(['binary:logistic', name]), { age: 2, grade: 4 })
      expect(value).toBeCloseTo(logistic - Math.log(0.3 / 0.7) + 0.3, 6)
    }
    expect(evaluate(readXgboost(['binary:logistic', 'reg:squarederror']), {})).not.toHaveProperty('logOdds')
  })

  test('log-odds and contributions are inverted if class 1 is good', () => {
    const bad = evaluate(readXgboost(), { age: 2, grade: 4 })
    const good = evaluate(readXgboostModel(readJson(XGBOOST, 'm'), 'm', { event: 'good' }), {
      age: 2,
      grade: 4,
    })
    expect(good.logOdds).toBe(-(bad.logOdds ?? 0))
    expect(good.contributions.map(({ points }) => points)).toEqual(
      bad.contributions.map(({ points }) => -points),
    )
  })

  test('a model with early stopping requires a choice of iterations, which determines the score', () => {
    const early: [string, string] = ['"best_iteration":"1"', '"best_iteration":"0"']
    expect(() => readXgboost(early)).toThrow(/round 0 of 2 is the best.*--rounds best or --rounds all/s)
    const read = (rounds: 'all' | 'best') =>
      evaluate(readXgboostModel(readJson(XGBOOST.replace(...early), 'm'), 'm', { rounds }), {
        age: 2,
        grade: 4,
      })
    expect(read('all').logOdds).toBe(-1.3860397338867188)
    expect(read('best').logOdds).toBeCloseTo(Math.log(0.3 / 0.7) - 0.1767389, 6)
  })

  test.each<[what: string, change: [string, string], says: RegExp]>([
    ['another objective', ['binary:logistic', 'multi:softprob'], /objective multi:softprob is not supported/],
    [
      'dart without the weights of its trees',
      ['"name":"gbtree"', '"name":"dart"'],
      /booster dart has no weight_drop/,
    ],
    ['linear boosters', ['"name":"gbtree"', '"name":"gblinear"'], /booster gblinear is not supported/],
    ['many classes', ['"num_class":"0"', '"num_class":"3"'], /3 classes/],
    ['many targets', ['"num_target":"1"', '"num_target":"2"'], /2 targets/],
    ['a base score for each target', ['"3E-1"', '"[3E-1,2E-1]"'], /base_score is not a number/],
    ['a base score that is not a probability', ['"3E-1"', '"1.5E0"'], /base_score 1.5 is not a probability/],
    ['a missing child', ['"left_children":[1,', '"left_children":[9,'], /tree 0 has no node 9/],
    [
      'lists of different lengths',
      ['"default_left":[1,1,1,0,', '"default_left":[1,1,1,'],
      /7 nodes but 6 default_left/,
    ],
    ['a cycle', ['"left_children":[1,', '"left_children":[0,'], /does it have a cycle/],
  ])('%s is rejected by name', (_, change, says) => {
    expect(() => readXgboost(change)).toThrow(says)
  })

  test('an old logitraw is rejected, since its base score has another meaning', () => {
    const old = XGBOOST.replace('[1,7,4]', '[1,5,0]').replace('binary:logistic', 'binary:logitraw')
    expect(() => readXgboostModel(readJson(old, 'm'), 'm', {})).toThrow(
      /1.5.0 interprets the base_score.*1.7 or newer/s,
    )
  })

  test('a dump requires objective and base score', () => {
    expect(() => readXgboostDump(JSON.parse(XGBOOST_DUMP), 'd.json', {})).toThrow(
      /--objective .*--xgboost-base-score .*save_model/s,
    )
  })

  test('a dump without cover gives scores without contributions, and a note says so', () => {
    const imported = readXgboostDump(
      JSON.parse(XGBOOST_DUMP.replaceAll(/,"cover":[\d.]+/g, '')),
      'd.json',
      DUMP_OPTIONS,
    )
    expect(imported.notes).toEqual([expect.stringContaining('with_stats=True')])
    expect(evaluate(imported, { age: 2, grade: 4 })).toMatchObject({
      logOdds: -1.3860397338867188,
      contributions: [],
    })
  })
})

const DUMP_OPTIONS = { objective: 'binary:logistic', baseScore: 0.3, booster: 'gbtree' } as const

/** @see LightGBM's documentation, Tree::NumericalDecision, Tree::CategoricalDecision and BinaryLogloss::ConvertOutput */
const LIGHTGBM = {
  name: 'tree',
  version: 'v4',
  num_class: 1,
  num_tree_per_iteration: 1,
  objective: 'binary sigmoid:2',
  average_output: false,
  feature_names: ['ratio', 'brand', 'unused', 'zeros'],
  feature_infos: {
    ratio: { min_value: 0, max_value: 1, values: [] },
    brand: { min_value: 0, max_value: 2, values: [0, 1, 2] },
  },
  pandas_categorical: [['apple', 'nokia', 'sony']] as unknown[][] | null,
  tree_info: [
    {
      tree_structure: {
        ...split(0, 0.1, 'NaN', true),
        left_child: leaf(0.5, 30),
        right_child: leaf(-0.25, 10),
      },
    },
    {
      tree_structure: {
        ...split(1, '0||2', 'NaN', true, '=='),
        left_child: { ...split(3, 0, 'Zero', false), left_child: leaf(0.125, 4), right_child: leaf(1, 4) },
        right_child: { ...split(3, 2, 'None', true), left_child: leaf(2, 1), right_child: leaf(4, 3) },
      },
    },
  ] as { tree_structure: object }[],
}

function split(
  split_feature: number,
  threshold: number | string,
  missing_type: string,
  default_left: boolean,
  decision_type = '<=',
) {
  return { split_index: 0, split_feature, threshold, decision_type, default_left, missing_type }
}

function leaf(leaf_value: number, leaf_count: number) {
  return { leaf_index: 0, leaf_value, leaf_count }
}

describe('LightGBM', () => {
  // the first tree gives 0.5 up to 0.1, otherwise -0.25; the second splits by sets of brands, then by zeros
  test.each<[row: Inputs, sum: number]>([
    [{ ratio: 0.1, brand: 'apple', zeros: 1 }, 0.5 + 1],
    [{ ratio: 0.10000000000000002, brand: 'sony', zeros: -1 }, -0.25 + 0.125], // 64-bit floats
    [{ ratio: 1, brand: 'sony', zeros: 0 }, -0.25 + 1], // zero is missing, and missing goes right
    [{ ratio: 1, brand: 'sony', zeros: 1e-36 }, -0.25 + 1],
    [{ ratio: 1, brand: 'sony' }, -0.25 + 1],
    [{ ratio: undefined, brand: 'nokia', zeros: 2 }, 0.5 + 2], // missing goes left
    [{ ratio: 1, brand: 'nokia', zeros: 2.5 }, -0.25 + 4],
    [{ ratio: 1, brand: 'nokia' }, -0.25 + 2], // missing is zero
    [{ ratio: 1, zeros: 3 }, -0.25 + 4], // a missing brand is in no set
    [{ ratio: 1, brand: 'fairphone', zeros: 3 }, -0.25 + 4], // nor is one that is not in the training data
  ])('%o sums to %d', (row, sum) => {
    const { value, logOdds, contributions } = evaluate(readLightgbm(LIGHTGBM, 'l.json', {}), row)
    expect([value, logOdds]).toEqual([2 * sum, 2 * sum])
    const mean = (0.5 * 30 - 0.25 * 10) / 40 + (0.125 * 4 + 1 * 4 + 2 * 1 + 4 * 3) / 12
    expect(2 * mean + contributions.reduce((total, { points }) => total + points, 0)).toBeCloseTo(2 * sum, 12)
  })

  test('inputs that no split reads are omitted, and categories are given by name', () => {
    const { model, notes } = readLightgbm(LIGHTGBM, 'l.json', {})
    expect(model.inputs).toEqual([
      { name: 'ratio' },
      { name: 'brand', categories: ['apple', 'nokia', 'sony'] },
      { name: 'zeros' },
    ])
    expect(notes).toEqual(['No split uses unused: removed'])
  })

  test('a random forest is the average of its trees', () => {
    const row = { ratio: 0.1, brand: 'apple', zeros: 1 }
    expect(evaluate(readLightgbm({ ...LIGHTGBM, average_output: true }, 'l', {}), row).logOdds).toBe(1.5)
    const regression = { ...LIGHTGBM, average_output: true, objective: 'regression' }
    expect(evaluate(readLightgbm(regression, 'l', {}), row)).toMatchObject({ value: 0.75 })
  })

  test.each<[what: string, change: object, says: RegExp]>([
    [
      'another objective',
      { objective: 'multiclass num_class:3' },
      /objective multiclass num_class:3 is not supported/,
    ],
    ['a transformed target', { objective: 'regression sqrt' }, /objective regression sqrt is not supported/],
    ['an objective of their own', { objective: undefined }, /has no objective.*--objective binary/],
    ['many classes', { num_class: 3 }, /3 classes/],
    [
      'categories of no feature',
      { pandas_categorical: [['a'], ['b']] },
      /2 lists of categories but feature_infos 1/,
    ],
    [
      'linear leaves',
      { tree_info: [{ tree_structure: { leaf_value: 1, leaf_coeff: [1] } }] },
      /linear_tree=false/,
    ],
    [
      'another way to decide',
      {
        tree_info: [
          {
            tree_structure: {
              ...split(0, 1, 'NaN', true, '>'),
              left_child: leaf(1, 1),
              right_child: leaf(1, 1),
            },
          },
        ],
      },
      /tree 0, split 0: decision_type > is not supported/,
    ],
    [
      'another kind of missing',
      {
        tree_info: [
          {
            tree_structure: { ...split(0, 1, 'Some', true), left_child: leaf(1, 1), right_child: leaf(1, 1) },
          },
        ],
      },
      /missing_type Some is not supported/,
    ],
  ])('%s is rejected by name', (_, change, says) => {
    expect(() => readLightgbm({ ...LIGHTGBM, ...change }, 'l.json', {})).toThrow(says)
  })
})

describe('as a scorecard', () => {
  const OPTIONS = { bad: 'default', pdo: 20, baseScore: 600, baseOdds: 1, odds: 'good:bad' } as const
  const MAP: FeatureMap = new Map([
    ['age', { feature: 'device_os_age_years', reason: 'OLD', text: 'The phone is old' }],
    ['grade', { feature: 'device_brand', categories: ['a', 'b', 'c', 'd', 'e'], reason: 'BRAND' }],
  ])

  test('log-odds are scaled to a score, and the inputs that raise them are reasons', async () => {
    const { card, notes } = await importText(XGBOOST, { ...OPTIONS, map: MAP })
    expect(notes).toEqual(['No split uses load: removed'])
    expect(Scorecard.safeParse(card).error).toBeUndefined()
    const scored = compileScorecard(card).score({ device_os_age_years: 2, device_brand: 'c' }, 'ios')
    expect(scored).toMatchObject({
      logOdds: 0.6996105909347534,
      unrounded: expect.closeTo(600 - (20 / Math.LN2) * 0.6996105909347534, 9),
      unroundedProbability: expect.closeTo(0.66810142993927, 6),
      reasons: ['OLD', 'BRAND'],
      contributions: [
        { characteristic: 'age', input: 2, points: expect.closeTo(0.7458776235580444, 5) },
        { characteristic: 'grade', input: 'c', points: expect.closeTo(0.37549787759780884, 5) },
      ],
    })
    // as in pandas, a category that is not in the training data is missing
    const unseen = compileScorecard(card).score({ device_os_age_years: 2, device_brand: 'x' }, 'ios')
    expect(unseen).toEqual({
      ...compileScorecard(card).score({ device_os_age_years: 2 }, 'ios'),
      contributions: expect.anything(),
    })
  })

  test('the scaling line is required, and the names of categories for a categorical feature', async () => {
    await expect(importText(XGBOOST, { bad: 'default' })).rejects.toThrow(
      /gives log-odds and does not define their scaling.*--pdo/,
    )
    const nameless: FeatureMap = new Map([...MAP, ['grade', { feature: 'device_brand' }]])
    await expect(importText(XGBOOST, { ...OPTIONS, map: nameless })).rejects.toThrow(
      /grade is the category device_brand.*apple\|nokia\|sony/,
    )
  })

  test('each format is recognised by the contents of the file', async () => {
    expect(await importText(XGBOOST, OPTIONS)).toMatchObject({ format: 'xgboost' })
    expect(await importText(JSON.stringify(LIGHTGBM), OPTIONS)).toMatchObject({ format: 'lightgbm' })
    expect(
      await importText(XGBOOST_DUMP, {
        ...OPTIONS,
        objective: 'binary:logistic',
        xgboostBaseScore: 0.3,
        booster: 'gbtree',
      }),
    ).toMatchObject({ format: 'xgboost-dump' })
  })

  async function importText(text: string, options: ImportOptions) {
    const folder = await mkdtemp(join(tmpdir(), 'inkling-trees-'))
    try {
      await writeFile(join(folder, 'model.json'), text)
      return await importScorecard(join(folder, 'model.json'), options)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
})

test('text instead of a number gives no score, with a reason', () => {
  expect(compile(readXgboost()).evaluate({ age: 'old', grade: 1 })).toEqual({
    noScore: 'age must be a number, but is "old"',
  })
})

test('evaluation cannot leave the trees of a stored model', () => {
  const { model } = readXgboost()
  expect(
    TreesModel.safeParse({ ...model, left: model.left.map((child) => child && child + 90) }).success,
  ).toBe(false)
  expect(TreesModel.safeParse({ ...model, left: model.left.map(() => 0) }).success).toBe(false)
  expect(TreesModel.safeParse({ ...model, feature: model.feature.map(() => 7) }).success).toBe(false)
  expect(TreesModel.safeParse({ ...model, sets: [] }).success).toBe(false)
  expect(TreesModel.safeParse({ ...model, right: model.left }).success).toBe(false)
  expect(TreesModel.safeParse({ ...model, roots: [0, 0] }).success).toBe(false)
  expect(TreesModel.safeParse(model).success).toBe(true)
})

function readXgboost(change: [string, string] = ['', ''], options: TreesOptions = {}): ImportedTrees {
  return readXgboostModel(readJson(XGBOOST.replace(...change), 'm.json'), 'm.json', options)
}

const compile = ({ model }: ImportedTrees) => compileTrees(TreesModel.parse(model))

function evaluate(imported: ImportedTrees, row: Inputs) {
  const outcome = compile(imported).evaluate(row)
  if ('noScore' in outcome) throw new Error(outcome.noScore)
  return outcome
}
