import { FEATURES, type FeatureName, type Features } from '../../../db/capture/features.ts'
import { Scorecard } from '../../../db/scorecards/definition/definition.ts'
import { createRandom } from '../../captures/random.ts'

const BINS = 6

/** A points scorecard of 15 characteristics with coefficients and reasons: 11 numbers, 2 categories, 2 truth values. */
export function makePointsCard(): Scorecard {
  const names = Object.keys(FEATURES) as FeatureName[]
  const ofType = (type: string, count: number) =>
    names
      .filter((name) => FEATURES[name].type === type && FEATURES[name].platforms.includes('android' as never))
      .slice(0, count)
  const features = [...ofType('number', 11), ...ofType('category', 2), ...ofType('boolean', 2)]
  return Scorecard.parse({
    format: 'scorecard/1',
    name: 'Bench',
    source: { tool: 'made up' },
    bad: 'nothing',
    platforms: ['android'],
    inputs: features.map((feature) => ({ name: feature, feature, type: FEATURES[feature].type })),
    model: {
      kind: 'points',
      basePoints: 500,
      intercept: -1,
      characteristics: features.map((feature, c) => ({
        ...{ name: feature, input: feature, reasonCode: `R${c}`, baseline: 0, coefficient: 0.5 },
        attributes: [...binsOf(FEATURES[feature].type), { missing: true }].map((bin, a) => ({
          ...bin,
          points: ((a * 7 + c) % 11) - 5,
          woe: ((a * 7 + c) % 11) / 10,
        })),
      })),
    },
    scaling: { pdo: 40, baseScore: 600, baseOdds: 20, odds: 'good:bad' },
    probability: {},
    reasons: { texts: Object.fromEntries(features.map((_, c) => [`R${c}`, { en: 'made up' }])) },
  })
}

function binsOf(type: string): object[] {
  if (type === 'boolean') return [{ in: [true] }, { in: [false] }]
  if (type === 'category') return [...CATEGORIES.map((value) => ({ in: [value] })), { else: true }]
  return [
    { below: 10 },
    ...Array.from({ length: BINS - 2 }, (_, n) => ({ from: 10 * (n + 1), below: 10 * (n + 2) })),
    { from: 10 * (BINS - 1) },
  ]
}

const CATEGORIES = ['a', 'b', 'c', 'd', 'e']

/** Generates rows of the card's features, a tenth of them missing; the same for the same seed. */
export function makeRows(card: Scorecard, count: number, seed: string): Features[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () =>
    Object.fromEntries(
      card.inputs.flatMap(({ name, type }) => {
        if (random.chance(0.1)) return []
        const value =
          type === 'number'
            ? random.float(0, 70)
            : type === 'boolean'
              ? random.chance(0.5)
              : random.pick([...'abcdefg'])
        return [[name, value]]
      }),
    ),
  )
}
