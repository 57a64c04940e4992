import { FEATURES, type FeatureName } from '../../../db/capture/features.ts'
import { Scorecard } from '../../../db/scorecards/definition/definition.ts'
import { createRandom } from '../../captures/random.ts'

const INPUTS = 10

/** A binomial model of ten numbers with one interaction, as exported from R's `glm`. */
export function makeRegressionCard(): Scorecard {
  const random = createRandom('regression')
  const names = (Object.keys(FEATURES) as FeatureName[])
    .filter(
      (name) => FEATURES[name].type === 'number' && FEATURES[name].platforms.includes('android' as never),
    )
    .slice(0, INPUTS)
  const field = (name: string) => ({ name, optype: 'continuous', dataType: 'double' })
  const mining = (name: string) => ({
    name,
    usage: 'active',
    missing: 'asIs',
    missingValueReplacement: '1',
    invalid: 'returnInvalid',
    outliers: 'asIs',
  })
  const parameter = (...fields: readonly string[]) => ({
    coefficient: random.float(-0.05, 0.05),
    cells: fields.map((name) => ({ field: name, exponent: 1 })),
  })
  return Scorecard.parse({
    format: 'scorecard/1',
    name: 'A generalised regression',
    source: { tool: 'benchmark' },
    bad: 'nothing: it is made up',
    platforms: ['android'],
    inputs: names.map((name) => ({ name, feature: name, type: 'number', invalid: 'asIs' })),
    scaling: { pdo: 20, baseScore: 600, baseOdds: 50, odds: 'good:bad' },
    output: { from: 'scaling' },
    probability: { from: 'model', badCategory: 'bad' },
    model: {
      kind: 'pmml',
      version: '4.4',
      dictionary: names.map(field),
      functions: [],
      derived: [],
      model: {
        element: 'GeneralRegressionModel',
        function: 'classification',
        fields: names.map(mining),
        derived: [],
        targets: [],
        outputs: [],
        modelType: 'generalizedLinear',
        link: 'logit',
        referenceCategory: 'good',
        tables: [
          {
            targetCategory: 'bad',
            parameters: [
              parameter(),
              ...names.map((name) => parameter(name)),
              parameter(...names.slice(0, 2)),
            ],
          },
        ],
      },
    },
  })
}
