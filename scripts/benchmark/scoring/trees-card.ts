import { FEATURES, type FeatureName } from '../../../db/capture/features.ts'
import { Scorecard } from '../../../db/scorecards/definition/definition.ts'
import { DEFAULT_LEFT } from '../../../db/scorecards/definition/trees.ts'
import { createRandom } from '../../captures/random.ts'

const TREES = 300
const DEPTH = 6
const INPUTS = 20

/** A model like one of XGBoost: 300 trees, 6 splits deep, 20 numeric inputs; with node means, which explanations need. */
export function makeTreesCard(): Scorecard {
  const random = createRandom('trees')
  const features = (Object.keys(FEATURES) as FeatureName[])
    .filter(
      (name) => FEATURES[name].type === 'number' && FEATURES[name].platforms.includes('android' as never),
    )
    .slice(0, INPUTS)
  const nodes = { feature: [], value: [], left: [], right: [], flags: [], mean: [] } as Record<
    string,
    number[]
  >
  const push = (entry: Record<string, number>) => {
    for (const [member, list] of Object.entries(nodes)) list.push(entry[member] ?? 0)
  }
  const grow = (depth: number): number => {
    const at = nodes.value?.length ?? 0
    const mean = random.float(-0.05, 0.05)
    if (depth === 0) push({ value: mean, mean })
    else {
      push({
        feature: Math.floor(random.float(0, features.length)),
        value: random.float(0, 70),
        flags: random.chance(0.5) ? DEFAULT_LEFT : 0,
        mean,
      })
      for (const side of ['left', 'right']) {
        const child = grow(depth - 1)
        const list = nodes[side]
        if (list) list[at] = child
      }
    }
    return at
  }
  const roots = Array.from({ length: TREES }, () => grow(DEPTH))
  return Scorecard.parse({
    format: 'scorecard/1',
    name: 'Bench',
    source: { tool: 'made up' },
    bad: 'nothing',
    platforms: ['android'],
    inputs: features.map((feature) => ({ name: feature, feature, type: 'number' })),
    model: {
      ...{ kind: 'trees', tool: 'xgboost', objective: 'logistic', base: 0.5, roots, ...nodes },
      inputs: features.map((name, at) => ({ name, reasonCode: `R${at}` })),
    },
    scaling: { pdo: 40, baseScore: 600, baseOdds: 20, odds: 'good:bad' },
    probability: { from: 'logit' },
    output: { from: 'scaling' },
    reasons: {
      points: 'aboveBaseline',
      texts: Object.fromEntries(features.map((_, at) => [`R${at}`, { en: 'made up' }])),
    },
  })
}
