import type { TreesModel } from '../../../../db/scorecards/definition/trees.ts'
import { UserError } from '../../../cli/user-error.ts'
import type { TreesOptions } from './imported-trees.ts'

/** Objectives whose margin is the log-odds or the predicted number. */
const OBJECTIVES = {
  'binary:logistic': 'logistic',
  'reg:logistic': 'logistic',
  'binary:logitraw': 'logistic',
  'reg:squarederror': 'regression',
  'reg:linear': 'regression', // old name of reg:squarederror
  'reg:squaredlogerror': 'regression',
  'reg:absoluteerror': 'regression',
  'reg:pseudohubererror': 'regression',
  'reg:quantileerror': 'regression',
} as const

/** Objectives whose base score is a probability, which is converted to log-odds. */
const OF_PROBABILITY: ReadonlySet<string> = new Set(['binary:logistic', 'reg:logistic'])

/**
 * Returns the objective and the base margin, to which the trees are added. For binary:logistic and reg:logistic `base_score`
 * is a probability; otherwise it is the margin itself.
 *
 * @throws UserError for an objective whose margin is neither log-odds nor the predicted number, and for an invalid base
 *   score.
 */
export function openXgboost(name: string, baseScore: number, file: string, { event }: TreesOptions) {
  if (!Object.hasOwn(OBJECTIVES, name))
    throw new UserError(
      `${file}: objective ${name} is not supported; supported are ${Object.keys(OBJECTIVES).join(', ')}`,
    )
  return {
    kind: 'trees',
    tool: 'xgboost',
    objective: OBJECTIVES[name as keyof typeof OBJECTIVES],
    event,
    base: marginOf(name, baseScore, file),
  } as const satisfies Partial<Record<keyof TreesModel, unknown>>
}

function marginOf(name: string, baseScore: number, file: string): number {
  if (!Number.isFinite(baseScore)) throw new UserError(`${file}: base_score is not a number`)
  if (!OF_PROBABILITY.has(name)) return Math.fround(baseScore)
  if (baseScore <= 0 || baseScore >= 1)
    throw new UserError(
      `${file}: base_score ${baseScore} is not a probability between 0 and 1, which ${name} needs`,
    )
  return Math.fround(-Math.log(Math.fround(Math.fround(1 / Math.fround(baseScore)) - 1)))
}
