import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TreesModel } from '../../db/scorecards/definition/trees.ts'
import { parseContent } from '../../scripts/scorecards/import/formats.ts'
import { importScorecard } from '../../scripts/scorecards/import/import-scorecard.ts'
import type { ImportedTrees, TreesOptions } from '../../scripts/scorecards/import/trees/imported-trees.ts'
import { readJson } from '../../scripts/scorecards/import/trees/read-json.ts'
import { readXgboostDump } from '../../scripts/scorecards/import/trees/read-xgboost-dump.ts'
import { readXgboostModel } from '../../scripts/scorecards/import/trees/read-xgboost-model.ts'
import { compileScorecard } from '../../worker/scoring/compile-scorecard.ts'
import type { Inputs } from '../../worker/scoring/model.ts'
import { compileTrees } from '../../worker/scoring/trees.ts'
import { XGBOOST, XGBOOST_ROWS } from '../support/xgboost-model.ts'

/** Model of XGBoost 1.7.4 with booster dart, written by save_model, without the members that only training needs. */
const DART_FOREST = `{"model":{"gbtree_model_param":{"num_parallel_tree":"1"},"trees":[
${[0, 1]
  .map(
    () => `{"default_left":[0,1,1,0,0,0,0],"left_children":[1,3,5,-1,-1,-1,-1],"right_children":[2,4,6,-1,-1,-1,-1],
"split_conditions":[-0.445,-1.255,0.72,0.4266958,-0.3829937,0.9450255,-0.049365327],"split_indices":[0,1,1,0,0,0,0]}`,
  )
  .join()},
{"default_left":[1,0,0,0,0],"left_children":[1,3,-1,-1,-1],"right_children":[2,4,-1,-1,-1],
"split_conditions":[0.545,0.065,0.90734947,0.4197962,-0.24483632],"split_indices":[0,1,0,0,0]},
{"default_left":[0,1,1,0,0,0,0],"left_children":[1,3,5,-1,-1,-1,-1],"right_children":[2,4,6,-1,-1,-1,-1],
"split_conditions":[-0.445,-1.255,0.72,0.4266958,-0.3829937,0.9450255,-0.049365327],"split_indices":[0,1,1,0,0,0,0]}
]},"name":"gbtree"}`
const WEIGHTS = '"weight_drop":[0.38095242,0.5714286,0.5714286,0.2857143]'

const learner = (booster: string, version = '[1,7,4]', objective = 'binary:logistic') =>
  `{"learner":{"attributes":{},"feature_names":["age","load"],"gradient_booster":${booster},"learner_model_param":
{"base_score":"3E-1","num_class":"0","num_feature":"2","num_target":"1"},"objective":{"name":"${objective}"}},"version":${version}}`

/** Margins that XGBoost 1.7.4 predicts with it. */
const DART_ROWS: [age: number | undefined, load: number | undefined, margin: number][] = [
  [0.5, 1.25, -1.0483232736587524],
  [undefined, -0.30000001192092896, 0.5626174211502075],
  [-1.5, undefined, -0.45891427993774414],
  [2, 2, -0.3899313807487488],
  [-0.20000000298023224, -1.100000023841858, 0.5626174211502075],
]

describe('DART', () => {
  test.each([
    ['as booster dart', `{"name":"dart","gbtree":${DART_FOREST},${WEIGHTS}}`, '[1,7,4]'],
    // without an engine of these versions: the same trees, with the weights where newer versions store them
    ['as booster gbtree with weights', DART_FOREST.replace(/\}$/, `,${WEIGHTS}}`), '[3,3,0]'],
    ['with the weights among the trees', DART_FOREST.replace('"trees":', `${WEIGHTS},"trees":`), '[3,4,0]'],
  ])('%s, trees are weighted as in XGBoost 1.7.4, to the last bit', (_, booster, version) => {
    const imported = read(learner(booster, version))
    expect(imported.understood.join()).toContain('weight_drop')
    for (const [age, load, margin] of DART_ROWS)
      expect(evaluate(imported, { age, load }).logOdds).toBe(margin)
  })

  test.each([
    [
      'too few weights',
      `{"name":"dart","gbtree":${DART_FOREST},"weight_drop":[1,1]}`,
      /2 weights, but there are 4 trees/,
    ],
    ['no weights', `{"name":"dart","gbtree":${DART_FOREST}}`, /booster dart has no weight_drop/],
    [
      'numbers for each tree under another name',
      DART_FOREST.replace(/\}$/, ',"tree_scale":[1,1,0.5,1]}'),
      /tree_scale has a number for each tree of unknown meaning/,
    ],
  ])('%s are rejected', (_, booster, says) => {
    expect(() => read(learner(booster))).toThrow(says)
  })

  test('a dump requires its booster, and dart is rejected, since a dump lacks the weights', () => {
    const options = { objective: 'binary:logistic', baseScore: 0.3 }
    const dump = [{ nodeid: 0, leaf: 1 }]
    expect(() => readXgboostDump(dump, 'd.json', options)).toThrow(
      /does not contain the booster: give --booster gbtree/,
    )
    expect(() => readXgboostDump(dump, 'd.json', { ...options, booster: 'dart' })).toThrow(
      /lacks the weights of the trees of booster dart; import the file of save_model/,
    )
  })
})

/** Stumps of XGBoost 1.7.4 by objective: bounds and leaves of two trees by age, and its predictions. */
const OBJECTIVES: [
  name: string,
  trees: [bound: number, left: number, right: number, missingLeft: number][],
  predicted: number[],
][] = [
  [
    'reg:logistic',
    [
      [-0.445, -0.19662923, 0.8156779, 0],
      [0.545, 0.061266802, 0.7610148, 1],
    ],
    [0.5074111819267273, 0.5074111819267273, 0.2723642587661743, 0.6746724247932434],
  ],
  [
    'reg:squarederror',
    [
      [-0.445, -0.04320988, 0.17420813, 0],
      [0.545, 0.020886943, 0.20851435, 1],
    ],
    [0.49509507417678833, 0.49509507417678833, 0.277677059173584, 0.6827225089073181],
  ],
  [
    'reg:absoluteerror',
    [
      [-0.445, -0.28395063, 0.14932127, 0],
      [-0.445, -0.28395063, 0.14932127, 0],
    ],
    [0.5986425280570984, 0.5986425280570984, -0.2679012417793274, 0.5986425280570984],
  ],
  [
    'reg:pseudohubererror',
    [
      [0.545, 0.064353, 0.40478772, 1],
      [-0.445, -0.09805296, 0.108289294, 0],
    ],
    [0.47264230251312256, 0.47264230251312256, 0.2663000226020813, 0.8130770325660706],
  ],
  [
    'reg:squaredlogerror',
    [
      [-0.445, -0.08255112, 0.10228419, 0],
      [0.545, 0.008747132, 0.15138933, 1],
    ],
    [0.4110313355922699, 0.4110313355922699, 0.2261960208415985, 0.553673505783081],
  ],
]

describe('objectives', () => {
  const forest = (trees: (typeof OBJECTIVES)[number][1]) =>
    JSON.stringify({
      name: 'gbtree',
      model: {
        trees: trees.map(([bound, left, right, missingLeft]) => ({
          split_indices: [0, 0, 0],
          split_conditions: [bound, left, right],
          left_children: [1, -1, -1],
          right_children: [2, -1, -1],
          default_left: [missingLeft, 0, 0],
        })),
      },
    })

  test.each(OBJECTIVES)('%s gives the predictions of XGBoost 1.7.4', (name, trees, predicted) => {
    const imported = read(learner(forest(trees), '[1,7,4]', name))
    const ages = [0.5, undefined, -1.5, 2]
    for (const [at, age] of ages.entries()) {
      const { value, logOdds } = evaluate(imported, { age })
      const expected = predicted[at] as number
      if (name === 'reg:logistic') expect(1 / (1 + Math.exp(-(logOdds ?? 0)))).toBeCloseTo(expected, 7)
      else expect(value).toBe(expected)
    }
  })

  test('reg:linear is the name of reg:squarederror in old versions', () => {
    const [, [, trees]] = OBJECTIVES as [unknown, (typeof OBJECTIVES)[number]]
    expect(evaluate(read(learner(forest(trees), '[0,90,0]', 'reg:linear')), { age: 2 }).value).toBe(
      0.6827225089073181,
    )
  })

  test.each(['count:poisson', 'reg:gamma', 'reg:tweedie', 'binary:hinge', 'survival:cox'])(
    '%s is rejected, since its margin is not its prediction',
    (name) => {
      expect(() => read(learner(forest(OBJECTIVES[0]?.[1] ?? []), '[1,7,4]', name))).toThrow(
        `objective ${name} is not supported`,
      )
    },
  )
})

/** Dump of XGBoost 1.7.4 by dump_model(with_stats=True). */
const TEXT = `booster[0]:
0:[grade:{1,3}] yes=2,no=1,missing=1,gain=29.9890594,cover=63.0000038
	1:[age<-0.389999986] yes=3,no=4,missing=3,gain=31.2230988,cover=40.7400017
		3:leaf=0.00524656242,cover=18.0600014
		4:leaf=0.878378332,cover=22.6800003
	2:[age<1.34000003] yes=5,no=6,missing=5,gain=4.55807114,cover=22.2600002
		5:leaf=-0.272727281,cover=21
		6:leaf=0.486725628,cover=1.25999999
booster[1]:
0:[age<1.25999999] yes=1,no=2,missing=1,gain=12.4839001,cover=65.0923386
	1:[grade:{1,2,3}] yes=4,no=3,missing=4,gain=5.13043356,cover=58.3913231
		3:leaf=0.215552777,cover=21.6773415
		4:leaf=-0.0854827538,cover=36.7139816
	2:[age<1.95000005] yes=5,no=6,missing=6,gain=0.167023659,cover=6.701015
		5:leaf=0.773301244,cover=5.22505474
		6:leaf=0.251261741,cover=1.47596025
`

/** Predictions of XGBoost 1.7.4 with it: margin, and contributions of age and grade (approx_contribs). */
const TEXT_ROWS: [
  age: number | undefined,
  grade: number | undefined,
  margin: number,
  ofAge: number,
  ofGrade: number,
][] = [
  [0.5, 1, -1.2055078744888306, -0.10805434733629227, -0.5780422687530518],
  [undefined, 3, -1.2055078744888306, -0.10805434733629227, -0.5780422687530518],
  [-1.5, 0, -0.6264984607696533, -0.5511398315429688, 0.4440526068210602],
  [2, undefined, 0.28234222531318665, 0.5469792485237122, 0.254774272441864],
  [-0.20000000298023224, 4, 0.24663326144218445, 0.3219919502735138, 0.4440526068210602],
  [0.10000000149011612, 9, 0.24663326144218445, 0.3219919502735138, 0.4440526068210602],
]

describe('a text dump', () => {
  const OPTIONS = { objective: 'binary:logistic', baseScore: 0.3, booster: 'gbtree' } as const
  const readText = (text: string) => {
    const content = parseContent(text, 'dump.txt')
    return readXgboostDump(content.kind === 'json' ? content.json : undefined, 'dump.txt', OPTIONS)
  }

  test.each([
    ['of Python', TEXT],
    ['of R, whose headings have no colon', TEXT.replaceAll(']:\n', ']\n').replaceAll('\t', '')],
  ])('%s gives the margins of XGBoost 1.7.4, to the last bit', (_, text) => {
    const imported = readText(text)
    for (const [age, grade, margin, ofAge, ofGrade] of TEXT_ROWS) {
      const { logOdds, contributions } = evaluate(imported, { age, grade })
      expect(logOdds).toBe(margin)
      expect(
        Object.fromEntries(contributions.map(({ characteristic, points }) => [characteristic, points])),
      ).toEqual({
        age: expect.closeTo(ofAge, 5),
        grade: expect.closeTo(ofGrade, 5),
      })
    }
  })

  test('an invalid node, a missing child and indicators are rejected with their location', () => {
    expect(() => readText(`${TEXT}what is this\n`)).toThrow(
      /dump.txt, line 17: this is not a node.*what is this/,
    )
    expect(() => readText(TEXT.replace('\t\t3:leaf=0.00524656242,cover=18.0600014\n', ''))).toThrow(
      /tree 0, node 1 has no child 3/,
    )
    expect(() => readText('booster[0]:\n0:[odor=none] yes=1,no=2\n\t1:leaf=1\n\t2:leaf=2\n')).toThrow(
      /node 0: splits by indicator features/,
    )
  })
})

describe('categories saved by XGBoost 3.1 and newer', () => {
  // without an engine of these versions: the file follows the format in its source, the codes are those of 1.7.4
  const names = ['Ärzte', 'b', 'c', 'd', 'e']
  const bytes = names.map((name) => [...Buffer.from(name)].map((byte) => (byte > 127 ? byte - 256 : byte)))
  const offsets = [0, ...bytes.keys()].map((_, at) => bytes.slice(0, at).flat().length)
  const none = { offsets: [], values: [] }
  const withCats = (grade: object) =>
    XGBOOST.replace(
      '"gbtree_model_param"',
      `"cats":${JSON.stringify({ enc: [none, grade, none], feature_segments: [0, 0, 5, 5], sorted_idx: [] })},"gbtree_model_param"`,
    ).replace('[1,7,4]', '[3,1,0]')
  const TEXTS = withCats({ offsets, values: bytes.flat() })

  test('are the names of the codes', () => {
    const imported = readXgboostModel(readJson(TEXTS, 'm.json'), 'm.json', {})
    expect(imported.model.inputs).toEqual([{ name: 'age' }, { name: 'grade', categories: names }])
    for (const [[age, grade, load], , margin] of XGBOOST_ROWS)
      if (grade === undefined || names[grade] !== undefined)
        expect(
          evaluate(imported, { age, grade: grade === undefined ? undefined : names[grade], load }).logOdds,
        ).toBe(margin)
  })

  test('can be integers too', () => {
    const { model } = readXgboostModel(
      readJson(withCats({ type: 11, values: [7, 1, 2, 3, 10] }), 'm'),
      'm',
      {},
    )
    expect(model.inputs[1]).toEqual({ name: 'grade', categories: ['7', '1', '2', '3', '10'] })
  })

  test('an unknown category has no score, since XGBoost rejects the row', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'inkling-xgboost-'))
    try {
      await writeFile(join(folder, 'm.json'), TEXTS)
      const { card } = await importScorecard(join(folder, 'm.json'), { bad: 'default', probability: false })
      const { scoreRow } = compileScorecard(card)
      expect(scoreRow({ age: 2, grade: 'z' }, 'web')).toMatchObject({
        value: null,
        reason: expect.stringContaining('"z"'),
      })
      expect(scoreRow({ age: 2, grade: 'e' }, 'web')).toMatchObject({ logOdds: -1.3860397338867188 })
      const map = new Map([['grade', { feature: 'device_brand', categories: ['e', 'd', 'c', 'b', 'a'] }]])
      await expect(
        importScorecard(join(folder, 'm.json'), { bad: 'default', probability: false, map }),
      ).rejects.toThrow(/has the categories Ärzte\|b\|c\|d\|e of grade, but the map has e\|d\|c\|b\|a/)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test.each([
    ['truncated bytes', { offsets: [0, 99], values: [97] }, /offsets beyond their bytes/],
    ['duplicate names', { type: 11, values: [1, 1] }, /two categories of feature 1 have the same name/],
  ])('%s are rejected', (_, grade, says) => {
    expect(() => readXgboostModel(readJson(withCats(grade), 'm'), 'm', {})).toThrow(says)
  })
})

function read(text: string, options: TreesOptions = {}): ImportedTrees {
  return readXgboostModel(readJson(text, 'm.json'), 'm.json', options)
}

function evaluate({ model }: ImportedTrees, row: Inputs) {
  const outcome = compileTrees(TreesModel.parse(model)).evaluate(row)
  if ('noScore' in outcome) throw new Error(outcome.noScore)
  return outcome
}
