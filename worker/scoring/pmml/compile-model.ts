import type {
  DataField,
  DefineFunction,
  DerivedField,
  MiningField,
  PmmlElement,
} from '../../../db/scorecards/definition/pmml.ts'
import { type Context, compileExpression } from './expressions.ts'
import { NoPrediction, PmmlFault } from './faults.ts'
import { categoriesOfGeneralRegression, compileGeneralRegression } from './general-regression.ts'
import { roundingOf } from './math-context.ts'
import { isTreatedAlike, isUntreated, treatedField } from './mining-schema.ts'
import { compileOutputs, type Display, outputField, slotsOfOutputs } from './output.ts'
import { compilePredicate } from './predicates.ts'
import { categoryOf, type Predict } from './prediction.ts'
import { type Program, Scope } from './program.ts'
import { compileRegression, type RegressionTarget } from './regression.ts'
import { compileScorecard } from './scorecard.ts'
import { compileSegmentation, type Segment } from './segmentation.ts'
import { applyTarget } from './targets.ts'
import { categoriesOfTree, compileTree } from './tree.ts'
import { cast } from './values.ts'

/** What every model element of a file shares. */
export interface Surroundings {
  readonly program: Program
  readonly dictionary: ReadonlyMap<string, DataField>
  readonly functions: ReadonlyMap<string, DefineFunction>
  /** Slots of output fields, by name. */
  readonly outputs: Map<string, number>
}

/** The model around a segment. */
interface Outer {
  readonly scope: Scope
  readonly fields: readonly MiningField[]
  readonly dataType: RegressionTarget['dataType']
  /** The order that the predictions must have to be combined; undefined: the segment's own. */
  readonly categories: readonly string[] | undefined
}

/** Makes the model of a segment ready, within the model around it. */
function compileSegmentModel(model: PmmlElement, outer: Outer, surroundings: Surroundings): Predict {
  const { program, dictionary } = surroundings
  const scope = new Scope(outer.scope)
  for (const field of model.fields) {
    if (field.usage === 'target') continue
    const around = outer.fields.find(({ name }) => name === field.name)
    if (isUntreated(field) || isTreatedAlike(field, around)) continue
    scope.declare(field.name, () =>
      treatedField(field, outer.scope.find(field.name), dictionary.get(field.name), program),
    )
  }
  return compileModel(model, scope, outer, surroundings)
}

/** Makes a model element ready whose fields are in scope; its derived fields and outputs come to it. */
export function compileModel(
  model: PmmlElement,
  scope: Scope,
  outer: Pick<Outer, 'dataType' | 'categories'>,
  surroundings: Surroundings,
): Predict {
  const context: Context = { ...surroundings, scope }
  declareDerived(model.derived, context)
  const target = targetOf(model, outer, surroundings)
  const display = model.targets[0]
  if (model.targets.length > 1) throw new PmmlFault('a model with several Targets is not supported')
  const round = roundingOf(model)
  const body = applyTarget(compileBody(model, context, target, surroundings), display, target, round)
  if (model.outputs.length === 0) return body
  const slots = slotsOfOutputs(model.outputs, context.program, surroundings.outputs)
  const write = compileOutputs(
    model.outputs,
    slots,
    { ...context, scope: new Scope(scope) },
    { ...target, display: displaysOf(model, surroundings) },
  )
  return (frame) => {
    const prediction = body(frame)
    write(frame, prediction)
    return prediction
  }
}

/** Derived fields are computed when they are first read, each at most once a row. */
export function declareDerived(derived: readonly DerivedField[], context: Context): void {
  for (const { name, dataType, expression } of derived) {
    if (context.scope.has(name)) throw new PmmlFault(`there are two fields ${JSON.stringify(name)}`, name)
    context.scope.declare(name, () =>
      context.program.nested(() => {
        const evaluate = compileExpression(expression, context)
        return context.program.lazy(dataType, (frame) => cast(evaluate(frame), dataType, name))
      }),
    )
  }
}

function targetOf(
  model: PmmlElement,
  outer: Pick<Outer, 'dataType' | 'categories'>,
  { dictionary }: Surroundings,
): RegressionTarget {
  const fields = targetsOf(model, dictionary)
  const data = fields.length === 1 ? fields[0] : undefined
  const dataType = data?.dataType ?? outer.dataType
  if (model.function === 'regression') return { dataType, isOrdinal: false, categories: undefined }
  return {
    dataType,
    isOrdinal: data?.optype === 'ordinal',
    categories: outer.categories ?? categoriesOf(model, dataType, dictionary),
  }
}

/** What is written of the target itself comes before what the data dictionary has. */
function displaysOf(model: PmmlElement, { dictionary }: Surroundings): Display[] {
  const data = targetsOf(model, dictionary).flatMap(({ displays = [] }) => displays)
  const own = (model.targets[0]?.values ?? []).flatMap(({ value, displayValue }) =>
    value === undefined || displayValue === undefined ? [] : { value, display: displayValue },
  )
  return [...data, ...own]
}

const targetsOf = (model: PmmlElement, dictionary: Surroundings['dictionary']): DataField[] =>
  model.fields.flatMap(({ name, usage }) => (usage === 'target' ? (dictionary.get(name) ?? []) : []))

/** Every category of a model: those of the data dictionary first, which decides among equals. */
export function categoriesOf(
  model: PmmlElement,
  outer: RegressionTarget['dataType'],
  dictionary: Surroundings['dictionary'],
): string[] {
  const targets = targetsOf(model, dictionary)
  const dataType = outer ?? (targets.length === 1 ? targets[0]?.dataType : undefined)
  const named = targets.flatMap(({ values = [] }) => values.map((value) => categoryOf(value, dataType)))
  return [...new Set([...named, ...categoriesOfBody(model, dataType, dictionary)])]
}

function categoriesOfBody(
  model: PmmlElement,
  dataType: RegressionTarget['dataType'],
  dictionary: Surroundings['dictionary'],
): string[] {
  switch (model.element) {
    case 'Scorecard':
      return []
    case 'RegressionModel':
      return model.tables.map(({ targetCategory = '' }) => categoryOf(targetCategory, dataType))
    case 'GeneralRegressionModel':
      return categoriesOfGeneralRegression(model, dataType)
    case 'TreeModel':
      return categoriesOfTree(model, { dataType })
    case 'MiningModel':
      return model.segments.flatMap((segment) =>
        segment.model.function === 'classification' ? categoriesOf(segment.model, dataType, dictionary) : [],
      )
  }
}

function compileBody(
  model: PmmlElement,
  context: Context,
  target: RegressionTarget,
  surroundings: Surroundings,
): Predict {
  switch (model.element) {
    case 'Scorecard':
      if (model.function !== 'regression') throw new PmmlFault('a Scorecard predicts a number')
      return orNothing(compileScorecard(model, context))
    case 'RegressionModel':
      return orNothing(compileRegression(model, context, target))
    case 'GeneralRegressionModel':
      return orNothing(compileGeneralRegression(model, context, target))
    case 'TreeModel':
      return compileTree(model, context, target)
    case 'MiningModel':
      return compileMining(model, context, target, surroundings)
  }
}

/** A model that cannot predict says nothing, which targets and segmentations treat. */
function orNothing(predict: Predict): Predict {
  return (frame) => {
    try {
      return predict(frame)
    } catch (error) {
      if (error instanceof NoPrediction) return { why: error.message }
      throw error
    }
  }
}

type Mining = Extract<PmmlElement, { element: 'MiningModel' }>

function compileMining(
  model: Mining,
  context: Context,
  target: RegressionTarget,
  surroundings: Surroundings,
): Predict {
  const isChain = model.method === 'modelChain'
  const isPassed = isChain || model.method === 'selectFirst'
  const { scope, program } = context
  const outer: Outer = {
    scope,
    fields: model.fields,
    dataType: target.dataType,
    categories: isPassed ? undefined : target.categories,
  }
  const handed = new Set<string>()
  const areRead = new Set<number>()
  const segments = model.segments.map((segment, at): Omit<Segment, 'isFinal'> => {
    if (!isPassed && segment.model.function !== model.function)
      throw new PmmlFault(
        `the segments of a ${model.function} by ${model.method} must be such models too`,
        model.method,
      )
    const test =
      segment.predicate.element === 'True' ? undefined : compilePredicate(segment.predicate, context)
    const predict = compileSegmentModel(segment.model, outer, surroundings)
    if (isChain)
      for (const { name, dataType } of segment.model.outputs) {
        if (scope.has(name) && !handed.has(name))
          throw new PmmlFault(`there are two fields ${JSON.stringify(name)}`, name)
        handed.add(name)
        const slot = slotsOfOutputs([], program, surroundings.outputs).get(name)
        if (slot === undefined) continue
        scope.declare(name, () => {
          areRead.add(at)
          return outputField(slot, dataType)
        })
      }
    return { id: segment.id ?? String(at + 1), weight: segment.weight, test, predict }
  })
  const firstFinal = findFirstFinal(segments, areRead)
  return compileSegmentation(
    model,
    segments.map((segment, at) => ({ ...segment, isFinal: at >= firstFinal })),
    model.function === 'classification' ? (target.categories ?? []) : undefined,
  )
}

/**
 * The first of the segments at the end of a chain that can give its result: the last one, and those right before it that
 * hold under a condition and that no other segment reads, which are alternatives to it. All others are steps on the way.
 */
function findFirstFinal(segments: readonly Pick<Segment, 'test'>[], areRead: ReadonlySet<number>): number {
  let first = segments.length - 1
  while (first > 0 && segments[first]?.test && segments[first - 1]?.test && !areRead.has(first - 1)) first--
  return first
}
