import type {
  DataField,
  DefineFunction,
  DerivedField,
  MiningField,
  PmmlElement,
} from '../../../db/scorecards/definition/pmml.ts'
import { NoPrediction, PmmlError } from './errors.ts'
import { type Context, compileExpression } from './expressions.ts'
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

/** Context shared by all model elements of a file. */
export interface SharedContext {
  readonly program: Program
  readonly dictionary: ReadonlyMap<string, DataField>
  readonly functions: ReadonlyMap<string, DefineFunction>
  /** Slots of output fields by name. */
  readonly outputs: Map<string, number>
}

/** The model that encloses a segment. */
interface EnclosingModel {
  readonly scope: Scope
  readonly fields: ReadonlyMap<string, MiningField>
  readonly dataType: RegressionTarget['dataType']
  /** Category order that all segments share so that they can be combined; undefined for the segment's own. */
  readonly categories: readonly string[] | undefined
}

/** Compiles the model of a segment within its enclosing model. */
function compileSegmentModel(model: PmmlElement, enclosing: EnclosingModel, shared: SharedContext): Predict {
  const { program, dictionary } = shared
  const scope = new Scope(enclosing.scope)
  for (const field of model.fields) {
    if (field.usage === 'target') continue
    const enclosingField = enclosing.fields.get(field.name)
    if (isUntreated(field) || isTreatedAlike(field, enclosingField)) continue
    scope.declare(field.name, () =>
      treatedField(field, enclosing.scope.find(field.name), dictionary.get(field.name), program),
    )
  }
  return compileModel(model, scope, enclosing, shared)
}

/** Compiles a model element. Its fields must be in scope already; its derived fields and outputs are added to the scope. */
export function compileModel(
  model: PmmlElement,
  scope: Scope,
  enclosing: Pick<EnclosingModel, 'dataType' | 'categories'>,
  shared: SharedContext,
): Predict {
  const context: Context = { ...shared, scope }
  declareDerived(model.derived, context)
  const target = targetOf(model, enclosing, shared)
  const display = model.targets[0]
  if (model.targets.length > 1) throw new PmmlError('a model with more than one Target is not supported')
  const round = roundingOf(model)
  const body = applyTarget(compileBody(model, context, target, shared), display, target, round)
  if (model.outputs.length === 0) return body
  const slots = slotsOfOutputs(model.outputs, context.program, shared.outputs)
  const write = compileOutputs(
    model.outputs,
    slots,
    { ...context, scope: new Scope(scope) },
    { ...target, display: displaysOf(model, shared) },
  )
  return (frame) => {
    const prediction = body(frame)
    write(frame, prediction)
    return prediction
  }
}

/** Declares derived fields. Each is computed when first read, at most once per row. */
export function declareDerived(derived: readonly DerivedField[], context: Context): void {
  for (const { name, dataType, expression } of derived) {
    if (context.scope.has(name)) throw new PmmlError(`duplicate field ${JSON.stringify(name)}`, name)
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
  enclosing: Pick<EnclosingModel, 'dataType' | 'categories'>,
  { dictionary }: SharedContext,
): RegressionTarget {
  const fields = targetsOf(model, dictionary)
  const data = fields.length === 1 ? fields[0] : undefined
  const dataType = data?.dataType ?? enclosing.dataType
  if (model.function === 'regression') return { dataType, isOrdinal: false, categories: undefined }
  return {
    dataType,
    isOrdinal: data?.optype === 'ordinal',
    categories: enclosing.categories ?? categoriesOf(model, dataType, dictionary),
  }
}

/** Lists display values; those of TargetValue override those of the data dictionary. */
function displaysOf(model: PmmlElement, { dictionary }: SharedContext): Display[] {
  const data = targetsOf(model, dictionary).flatMap(({ displays = [] }) => displays)
  const own = (model.targets[0]?.values ?? []).flatMap(({ value, displayValue }) =>
    value === undefined || displayValue === undefined ? [] : { value, display: displayValue },
  )
  return [...data, ...own]
}

const targetsOf = (model: PmmlElement, dictionary: SharedContext['dictionary']): DataField[] =>
  model.fields.flatMap(({ name, usage }) => (usage === 'target' ? (dictionary.get(name) ?? []) : []))

/** Lists the categories of a model. Those of the data dictionary come first; the order decides ties. */
export function categoriesOf(
  model: PmmlElement,
  enclosing: RegressionTarget['dataType'],
  dictionary: SharedContext['dictionary'],
): string[] {
  const targets = targetsOf(model, dictionary)
  const dataType = enclosing ?? (targets.length === 1 ? targets[0]?.dataType : undefined)
  const named = targets.flatMap(({ values = [] }) => values.map((value) => categoryOf(value, dataType)))
  return [...new Set([...named, ...categoriesOfBody(model, dataType, dictionary)])]
}

function categoriesOfBody(
  model: PmmlElement,
  dataType: RegressionTarget['dataType'],
  dictionary: SharedContext['dictionary'],
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
  shared: SharedContext,
): Predict {
  switch (model.element) {
    case 'Scorecard':
      if (model.function !== 'regression') throw new PmmlError('a Scorecard must be a regression')
      return catchNoPrediction(compileScorecard(model, context))
    case 'RegressionModel':
      return catchNoPrediction(compileRegression(model, context, target))
    case 'GeneralRegressionModel':
      return catchNoPrediction(compileGeneralRegression(model, context, target))
    case 'TreeModel':
      return compileTree(model, context, target)
    case 'MiningModel':
      return compileMining(model, context, target, shared)
  }
}

/** Converts NoPrediction to an empty prediction, which Targets and segmentations handle. */
function catchNoPrediction(predict: Predict): Predict {
  return (frame) => {
    try {
      return predict(frame)
    } catch (error) {
      if (error instanceof NoPrediction) return { reason: error.message }
      throw error
    }
  }
}

type Mining = Extract<PmmlElement, { element: 'MiningModel' }>

function compileMining(
  model: Mining,
  context: Context,
  target: RegressionTarget,
  shared: SharedContext,
): Predict {
  const isChain = model.method === 'modelChain'
  const isPassThrough = isChain || model.method === 'selectFirst'
  const { scope, program } = context
  const enclosing: EnclosingModel = {
    scope,
    fields: new Map(model.fields.map((field) => [field.name, field])),
    dataType: target.dataType,
    categories: isPassThrough ? undefined : target.categories,
  }
  const passedOn = new Set<string>()
  const readSegments = new Set<number>()
  const segments = model.segments.map((segment, at): Omit<Segment, 'isFinal'> => {
    if (!isPassThrough && segment.model.function !== model.function)
      throw new PmmlError(
        `every segment of a ${model.function} with ${model.method} must be a ${model.function} model`,
        model.method,
      )
    const test =
      segment.predicate.element === 'True' ? undefined : compilePredicate(segment.predicate, context)
    const predict = compileSegmentModel(segment.model, enclosing, shared)
    if (isChain)
      for (const { name, dataType } of segment.model.outputs) {
        if (scope.has(name) && !passedOn.has(name))
          throw new PmmlError(`duplicate field ${JSON.stringify(name)}`, name)
        passedOn.add(name)
        const slot = slotsOfOutputs([], program, shared.outputs).get(name)
        if (slot === undefined) continue
        scope.declare(name, () => {
          readSegments.add(at)
          return outputField(slot, dataType)
        })
      }
    return { id: segment.id ?? String(at + 1), weight: segment.weight, test, predict }
  })
  const firstFinal = findFirstFinal(segments, readSegments)
  return compileSegmentation(
    model,
    segments.map((segment, at) => ({ ...segment, isFinal: at >= firstFinal })),
    model.function === 'classification' ? (target.categories ?? []) : undefined,
  )
}

/**
 * Returns the index of the first segment whose prediction can be the result of a chain. Candidates are the last segment
 * and its alternatives: conditional segments directly before it whose outputs no other segment reads.
 */
function findFirstFinal(
  segments: readonly Pick<Segment, 'test'>[],
  readSegments: ReadonlySet<number>,
): number {
  let first = segments.length - 1
  while (first > 0 && segments[first]?.test && segments[first - 1]?.test && !readSegments.has(first - 1))
    first--
  return first
}
