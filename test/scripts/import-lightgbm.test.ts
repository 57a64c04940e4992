import { describe, expect, test } from 'vitest'
import { TreesModel } from '../../db/scorecards/definition/trees.ts'
import type { TreesOptions } from '../../scripts/scorecards/import/trees/imported-trees.ts'
import { readLightgbm } from '../../scripts/scorecards/import/trees/read-lightgbm.ts'
import { compileTrees } from '../../worker/scoring/trees.ts'

type Leaf = [value: number, count: number]

/** A tree of three leaves from LightGBM 4.7.0 over age and load, with the second split on one side of the first. */
function tree(
  shrinkage: number,
  [feature, bound, missingLeft]: [0 | 1, number, boolean],
  left: Leaf | [[0 | 1, number, boolean], Leaf, Leaf],
  right: Leaf | [[0 | 1, number, boolean], Leaf, Leaf],
) {
  return { shrinkage, tree_structure: split(feature, bound, missingLeft, child(left), child(right)) }
}

const child = (of: Leaf | [[0 | 1, number, boolean], Leaf, Leaf]): object =>
  of.length === 2 ? leaf(of) : split(...of[0], leaf(of[1]), leaf(of[2]))
const leaf = ([leaf_value, leaf_count]: Leaf) => ({ leaf_value, leaf_count })
const split = (
  split_feature: 0 | 1,
  threshold: number,
  default_left: boolean,
  left_child: object,
  right_child: object,
) => ({
  split_index: 0,
  split_feature,
  threshold,
  decision_type: '<=',
  default_left,
  missing_type: 'NaN',
  left_child,
  right_child,
})

const model = (objective: string, tree_info: object[], members: object = { average_output: false }) => ({
  version: 'v4',
  num_class: 1,
  num_tree_per_iteration: 1,
  objective,
  feature_names: ['age', 'load'],
  tree_info,
  ...members,
})

const ROWS = [
  [0.5, 1.25],
  [undefined, -0.3],
  [-1.5, undefined],
  [2, 2],
  [-0.2, -1.1],
] as const

const CROSS_ENTROPY = [
  tree(
    1,
    [0, 0.41500000000000004, false],
    [
      [1, -0.155, false],
      [0.29140777456848616, 65],
      [-0.2255203731774832, 103],
    ],
    [0.48760674028397083, 111],
  ),
  tree(
    0.3,
    [0, -0.13499999999999998, false],
    [-0.2673064461554001, 114],
    [
      [1, 0.7700000000000001, true],
      [0.3026916915084479, 138],
      [-0.17991667200523812, 31],
    ],
  ),
]
const HUBER = [
  tree(
    1,
    [0, 0.41500000000000004, false],
    [
      [1, -0.155, false],
      [0.5724807649392348, 65],
      [0.4444150442521549, 103],
    ],
    [0.6210878335463034, 111],
  ),
  tree(
    0.3,
    [0, -0.13499999999999998, false],
    [-0.06590019472335513, 114],
    [
      [1, 0.7700000000000001, true],
      [0.07203418904024622, 138],
      [-0.043422530639556145, 31],
    ],
  ),
]
/** A model with boosting_type rf. */
const FOREST = [
  tree(
    1,
    [0, 0.41500000000000004, false],
    [
      [1, -0.155, false],
      [0.5266849519433789, 65],
      [-1.196408873876519, 103],
    ],
    [1.1806815043283279, 111],
  ),
  tree(
    1,
    [0, -0.105, false],
    [-0.905872494254489, 116],
    [
      [1, 0.7700000000000001, true],
      [1.334427297272193, 136],
      [-0.3266741632660556, 31],
    ],
  ),
]

describe('objectives of LightGBM', () => {
  test.each(['cross_entropy', 'xentropy'])(
    '%s predicts the probability that LightGBM 4.7.0 predicts',
    (name) => {
      const probabilities = predict(model(name, CROSS_ENTROPY)).map((margin) => 1 / (1 + Math.exp(-margin)))
      expectClose(
        probabilities,
        [0.5763213330986151, 0.6878954060834211, 0.37922786772290007, 0.5763213330986151, 0.5060250404569667],
      )
    },
  )

  test.each(['huber', 'regression_l1', 'fair', 'quantile', 'mape', 'regression_l2'])(
    '%s predicts its sum, as huber of LightGBM 4.7.0 does',
    (name) => {
      expectClose(
        predict(model(name, HUBER)),
        [0.5776653029067472, 0.6931220225865495, 0.37851484952879977, 0.5776653029067472, 0.5065805702158797],
      )
    },
  )

  test.each(['cross_entropy_lambda', 'poisson', 'gamma', 'tweedie', 'huber sqrt'])(
    '%s is rejected by name',
    (name) => {
      expect(() => predict(model(name, HUBER))).toThrow(
        `objective ${name} is not supported; supported are binary, cross_entropy,`,
      )
    },
  )
})

describe('random forests of LightGBM', () => {
  const averages = [
    0.8540073410622723, 2.5151088016005207, -2.102281368131008, 0.8540073410622723, -0.37918754231111007,
  ].map((sum) => sum / 2)

  test('files of LightGBM 2.2.2 and older need --booster, since they do not state whether trees are averaged', () => {
    const old = model('binary sigmoid:1', FOREST, { version: 'v2' })
    expect(() => predict(old)).toThrow(/summed or averaged.*give --booster gbdt or --booster rf/)
    expectClose(predict(old, { booster: 'rf' }), averages)
    expectClose(
      predict(old, { booster: 'gbdt' }),
      averages.map((average) => 2 * average),
    )
  })

  test('a learning rate means that trees are added; for a single tree it makes no difference', () => {
    const old = { version: 'v2' }
    expectClose(predict(model('huber', HUBER, old)), predict(model('huber', HUBER)))
    expect(predict(model('huber', FOREST.slice(0, 1), old))).toEqual(
      predict(model('huber', FOREST.slice(0, 1))),
    )
  })

  test('newer files state it', () => {
    expectClose(predict(model('binary sigmoid:1', FOREST, { average_output: true })), averages)
  })
})

function predict(json: object, options: TreesOptions = {}): number[] {
  const { evaluate } = compileTrees(TreesModel.parse(readLightgbm(json, 'l.json', options).model))
  return ROWS.map(([age, load]) => {
    const outcome = evaluate({ age, load })
    return 'noScore' in outcome || outcome.value === null ? Number.NaN : outcome.value
  })
}

const expectClose = (got: readonly number[], expected: readonly number[]) =>
  expect(got).toEqual(expected.map((value) => expect.closeTo(value, 12)))
