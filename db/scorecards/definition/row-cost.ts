import { type Cost, sumCosts } from './cost.ts'
import type { Input } from './inputs.ts'
import type { ModelPath } from './model-errors.ts'
import type { PmmlModel } from './pmml.ts'
import { costOfPmml } from './pmml-cost.ts'
import type { PointsModel } from './points.ts'
import { costOfPoints, costOfPredicate } from './points-cost.ts'
import type { Predicate } from './predicate.ts'
import type { TreesModel } from './trees.ts'
import { costOfTrees } from './trees-cost.ts'

type AnyModel = PointsModel | PmmlModel | TreesModel

interface When {
  readonly fewerInputsThan?: number | undefined
  readonly predicate?: Predicate | undefined
}

/** The members of a scorecard that cost time. */
interface Costly {
  readonly inputs: readonly Input[]
  readonly model?: AnyModel | undefined
  readonly segments?: readonly { readonly when: When; readonly model: AnyModel }[] | undefined
  readonly exclusions: readonly { readonly when: When }[]
  readonly probability?: { readonly table?: readonly unknown[] | undefined } | undefined
}

/** Steps that a row may take: 20 ms. */
export const MAX_ROW_STEPS = 2_000_000

/** Computes what a dataset costs at most: its inputs, all exclusions, the conditions of all segments, the largest model. */
function costOfRow(card: Costly): Cost {
  const inputs = new Map(card.inputs.map((input) => [input.name, input]))
  const costOfModel = (model: AnyModel, path: ModelPath): Cost => {
    if (model.kind === 'points') return costOfPoints(model, inputs, path)
    return model.kind === 'pmml' ? costOfPmml(model, path) : costOfTrees(model, path)
  }
  const whens = [...card.exclusions, ...(card.segments ?? [])].map(({ when }) =>
    costOfWhen(when, card.inputs),
  )
  const models = card.model
    ? [costOfModel(card.model, ['model'])]
    : (card.segments ?? []).map(({ model }, at) => costOfModel(model, ['segments', at, 'model']))
  const model = models.reduce((most, one) => (one.steps > most.steps ? one : most), { steps: 0, at: [] })
  return sumCosts([], 100, [
    { steps: card.inputs.reduce((sum, input) => sum + costOfInput(input), 0), at: ['inputs'] },
    {
      steps: whens.reduce((sum, steps) => sum + steps, 0),
      at: card.segments ? ['segments'] : ['exclusions'],
    },
    { steps: card.probability?.table?.length ?? 0, at: ['probability', 'table'] },
    model,
  ])
}

/** Lists are searched value by value. */
const costOfInput = ({ missing, special, valid }: Input): number =>
  20 + missing.length + special.length + (valid?.values?.length ?? 0)

const costOfWhen = ({ fewerInputsThan, predicate }: When, inputs: readonly Input[]): number =>
  10 + (fewerInputsThan === undefined ? 0 : 10 * inputs.length) + (predicate ? costOfPredicate(predicate) : 0)

/** The error of a definition whose rows would take too long; undefined if they do not. */
export function findCostError(
  card: Costly,
): { readonly message: string; readonly path: ModelPath } | undefined {
  const { steps, at } = costOfRow(card)
  if (steps <= MAX_ROW_STEPS) return undefined
  const count = Math.ceil(steps).toLocaleString('en')
  return {
    message:
      `scoring one dataset would take up to ${count} steps of 10 ns, mostly here; ` +
      `at most ${MAX_ROW_STEPS.toLocaleString('en')} are allowed, which are 20 ms`,
    path: at,
  }
}
