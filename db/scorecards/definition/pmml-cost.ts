import { CAPTURE_BOUNDS } from '../../capture/scalars.ts'
import { CHARACTERS_PER_STEP, CONTRIBUTION_STEPS, type Cost, ERROR_STEPS, sumCosts } from './cost.ts'
import type { ModelPath } from './model-errors.ts'
import type {
  DataField,
  DerivedField,
  MiningField,
  OutputField,
  PmmlElement,
  PmmlModel,
  PmmlTree,
  RegressionTable,
} from './pmml.ts'
import { type ExpressionCost, ExpressionCosts, readField } from './pmml-expression-cost.ts'
import { MAX_TEXT } from './text-limits.ts'

/** Texts of features are no longer. */
const INPUT_TEXT = CAPTURE_BOUNDS.longText

/** Computes the cost of a PMML model: each derived field once, every branch of every model element. */
export function costOfPmml(model: PmmlModel, path: ModelPath): Cost {
  const dictionary = new Map(model.dictionary.map((field) => [field.name, field]))
  const shared: Shared = { dictionary, expressions: new ExpressionCosts(model.functions) }
  const scope = new CostScope()
  for (const { name, dataType } of model.dictionary) scope.set(name, readField(INPUT_TEXT, dataType))
  const inputs = model.model.fields.map(({ name }) => costOfInput(dictionary.get(name)))
  return sumCosts(path, total(inputs), [
    ...costOfDerived(model.derived, scope, shared, path),
    costOfElement(model.model, scope, shared, [...path, 'model']),
  ])
}

interface Shared {
  readonly dictionary: ReadonlyMap<string, DataField>
  readonly expressions: ExpressionCosts
}

const total = (steps: readonly number[]): number => steps.reduce((sum, one) => sum + one, 0)

const ofText = (length: number): number => length / CHARACTERS_PER_STEP

/** A name that the model does not declare is rejected where it is compiled. */
const UNKNOWN: ExpressionCost = readField(MAX_TEXT, 'string')

/** The fields that expressions of a model element can read. */
class CostScope {
  readonly #fields = new Map<string, ExpressionCost | (() => ExpressionCost)>()
  readonly #parent: CostScope | undefined

  constructor(parent?: CostScope) {
    this.#parent = parent
  }

  set(name: string, cost: ExpressionCost | (() => ExpressionCost)): void {
    this.#fields.set(name, cost)
  }

  readonly find = (name: string): ExpressionCost => {
    const found = this.#fields.get(name)
    if (found === undefined) return this.#parent ? this.#parent.find(name) : UNKNOWN
    if (typeof found !== 'function') return found
    this.#fields.set(name, UNKNOWN) // of a field that is derived from itself
    const cost = found()
    this.#fields.set(name, cost)
    return cost
  }
}

/** Conversion, validity, outliers. */
const costOfInput = (data: DataField | undefined): number =>
  20 + 2 * (data?.intervals?.length ?? 0) + (data?.dataType === 'string' ? ofText(INPUT_TEXT) / 5 : 0)

/** Declares derived fields and returns their costs: each is computed once. */
function costOfDerived(
  derived: readonly DerivedField[],
  scope: CostScope,
  { expressions }: Shared,
  path: ModelPath,
): Cost[] {
  const costs = new Map<number, number>()
  for (const [at, { name, dataType, expression }] of derived.entries())
    scope.set(name, () => {
      const { steps, length } = expressions.costOf(expression, scope.find)
      costs.set(at, steps)
      return readField(length, dataType)
    })
  for (const { name } of derived) scope.find(name)
  return derived.map((_, at) => ({ steps: 10 + (costs.get(at) ?? 0), at: [...path, 'derived', at] }))
}

function costOfElement(model: PmmlElement, outer: CostScope, shared: Shared, path: ModelPath): Cost {
  const scope = new CostScope(outer)
  const { dictionary, expressions } = shared
  const derived = costOfDerived(model.derived, scope, shared, path)
  const categories = model.function === 'classification' ? categoriesOf(model, dictionary).size : 0
  const body = costOfBody(model, categories, scope, shared, path)
  const outputs = model.outputs.map((output, at): Cost => {
    const cost = costOfOutput(output, categories, scope, expressions)
    scope.set(output.name, readField(MAX_TEXT, output.dataType))
    return { steps: cost, at: [...path, 'outputs', at] }
  })
  for (const { name, dataType } of model.outputs) outer.set(name, readField(MAX_TEXT, dataType))
  // a prediction, its target, and its probabilities by name
  return sumCosts(path, 20 + 5 * categories, [...derived, body, ...outputs])
}

function costOfOutput(
  { feature, rank, expression }: OutputField,
  categories: number,
  scope: CostScope,
  expressions: ExpressionCosts,
): number {
  if (expression) return 10 + expressions.costOf(expression, scope.find).steps
  if (feature === 'probability' || feature === 'confidence' || feature === 'predictedValue')
    return 10 + categories + (rank > 1 ? 30 * categories : 0) // a rank sorts
  return 10
}

function costOfBody(
  model: PmmlElement,
  categories: number,
  scope: CostScope,
  shared: Shared,
  path: ModelPath,
): Cost {
  switch (model.element) {
    case 'Scorecard':
      return costOfScorecard(model, scope, shared, path)
    case 'RegressionModel': {
      const tables = model.tables.map(
        (table, at): Cost => ({ steps: costOfTable(table, scope), at: [...path, 'tables', at] }),
      )
      return sumCosts(path, ERROR_STEPS + 20 * (tables.length + categories), tables)
    }
    case 'GeneralRegressionModel': {
      const tables = model.tables.map(({ parameters }, at): Cost => {
        const cells = parameters.flatMap((parameter) => parameter.cells)
        const steps = cells.reduce(
          (sum, { field }) => sum + 20 + 2 * ofText(scope.find(field).length),
          CONTRIBUTION_STEPS * parameters.length,
        )
        return { steps, at: [...path, 'tables', at] }
      })
      return sumCosts(path, ERROR_STEPS + 20 * (tables.length + categories), tables)
    }
    case 'TreeModel':
      return { steps: costOfTree(model, categories, scope, shared.expressions), at: path }
    case 'MiningModel':
      return costOfMining(model, categories, scope, shared, path)
  }
}

type Of<E extends PmmlElement['element']> = Extract<PmmlElement, { element: E }>

function costOfScorecard(
  { characteristics }: Of<'Scorecard'>,
  scope: CostScope,
  { expressions }: Shared,
  path: ModelPath,
): Cost {
  const parts = characteristics.map(({ attributes }, at): Cost => {
    let steps = CONTRIBUTION_STEPS + 20
    let points = 0
    let input = 0
    for (const { predicate, partialScore } of attributes) {
      steps += 3 + expressions.costOfPredicate(predicate, scope.find)
      if ('field' in predicate) input = Math.max(input, ofText(scope.find(predicate.field).length))
      if (typeof partialScore !== 'number')
        points = Math.max(points, expressions.costOf(partialScore, scope.find).steps)
    }
    return { steps: steps + points + input, at: [...path, 'characteristics', at] }
  })
  return sumCosts(path, ERROR_STEPS, parts)
}

/** Coefficients of the categories of one field are compared one by one. */
function costOfTable({ numeric, categorical, terms }: RegressionTable, scope: CostScope): number {
  const fields = new Set(categorical.map(({ field }) => field))
  const ofTexts = [...fields, ...numeric.map(({ field }) => field)].map((name) => {
    return CONTRIBUTION_STEPS + 2 * ofText(scope.find(name).length)
  })
  const ofTerms = terms.map(({ fields: factors }) =>
    total([CONTRIBUTION_STEPS, ...factors.map((name) => 20 + ofText(scope.find(name).length))]),
  )
  const compared = categorical.map(({ field }) => 5 + (scope.find(field).length > 100 ? 1 : 0))
  return total(ofTexts) + total(ofTerms) + total(compared)
}

/** The most expensive path; all nodes where several branches are combined. */
function costOfTree(
  model: PmmlTree,
  categories: number,
  scope: CostScope,
  expressions: ExpressionCosts,
): number {
  const tests = testsOf(model, scope, expressions)
  const parents = parentsOf(model)
  const { missingValueStrategy: strategy } = model
  if (strategy === 'weightedConfidence' || strategy === 'aggregateNodes')
    return tests.reduce((sum, test) => sum + 2 * test + 30 + 3 * categories, 50 + 10 * categories)
  // children come after their parents: each node adds its test, and the best of its children, to its parent
  const ofChildren = new Float64Array(tests.length)
  const below = new Float64Array(tests.length)
  for (let at = tests.length - 1; at > 0; at--) {
    const parent = parents[at] ?? -1
    if (parent < 0) continue
    ofChildren[parent] = (ofChildren[parent] as number) + (tests[at] as number)
    below[parent] = Math.max(below[parent] as number, (ofChildren[at] as number) + (below[at] as number))
  }
  return 20 + 2 * categories + (tests[0] ?? 0) + (ofChildren[0] ?? 0) + (below[0] ?? 0)
}

/** From a node to its sibling: most nodes of a large forest are not in the processor's cache. */
const NODE_STEPS = 8

function testsOf({ nodes }: PmmlTree, scope: CostScope, expressions: ExpressionCosts): Float64Array {
  const costOf = (name: string) => NODE_STEPS + ofText(scope.find(name).length)
  if (Array.isArray(nodes))
    return Float64Array.from(nodes, ({ predicate }) =>
      predicate.element === 'SimplePredicate'
        ? costOf(predicate.field)
        : NODE_STEPS + expressions.costOfPredicate(predicate, scope.find),
    )
  const ofFields = nodes.fields.map(costOf)
  let others = 0
  return Float64Array.from(nodes.field, (place) => {
    if (place < 0) return NODE_STEPS
    const simple = ofFields[place]
    if (simple !== undefined) return simple
    const predicate = nodes.predicates[others++]
    return NODE_STEPS + (predicate ? expressions.costOfPredicate(predicate, scope.find) : 0)
  })
}

function parentsOf({ nodes }: PmmlTree): ArrayLike<number> {
  if (!Array.isArray(nodes)) return nodes.parents
  const parents = new Int32Array(nodes.length).fill(-1)
  for (const [at, { children }] of nodes.entries()) for (const child of children) parents[child] = at
  return parents
}

function costOfMining(
  model: Of<'MiningModel'>,
  categories: number,
  scope: CostScope,
  shared: Shared,
  path: ModelPath,
): Cost {
  const { segments, method } = model
  // the shares of every category are collected, and sorted, for each
  const combined = method === 'median' || method === 'max' ? 30 : 2
  const parts = segments.map(({ predicate, model: inner }, at): Cost => {
    const test = shared.expressions.costOfPredicate(predicate, scope.find)
    const treated = total(inner.fields.map((field) => costOfTreatment(field, shared)))
    // other predictions have categories in an order of their own
    const isReordered = inner.element === 'MiningModel' || inner.targets.length > 0
    const reordered = isReordered ? categories * categories : 0
    const own = 15 + test + treated + combined * (categories + 1) + reordered
    return sumCosts([...path, 'segments', at], own, [
      costOfElement(inner, scope, shared, [...path, 'segments', at, 'model']),
    ])
  })
  return sumCosts(path, 50 + 10 * categories, parts)
}

/** A field that a segment uses unchanged costs nothing. */
function costOfTreatment(field: MiningField, { dictionary }: Shared): number {
  const { missing, missingValueReplacement, invalid, outliers } = field
  const isUnchanged =
    missing === 'asIs' &&
    missingValueReplacement === undefined &&
    invalid !== 'asMissing' &&
    invalid !== 'asValue'
  return isUnchanged && outliers === 'asIs' ? 0 : costOfInput(dictionary.get(field.name))
}

/** The categories that a model can predict. */
function categoriesOf(model: PmmlElement, dictionary: ReadonlyMap<string, DataField>): Set<string> {
  const categories = new Set<string>()
  for (const { name, usage } of model.fields)
    if (usage === 'target') for (const value of dictionary.get(name)?.values ?? []) categories.add(value)
  for (const value of ownCategories(model, dictionary)) categories.add(value)
  return categories
}

function* ownCategories(
  model: PmmlElement,
  dictionary: ReadonlyMap<string, DataField>,
): Generator<string, void, undefined> {
  if (model.element === 'MiningModel')
    for (const { model: inner } of model.segments) yield* categoriesOf(inner, dictionary)
  if (model.element === 'RegressionModel' || model.element === 'GeneralRegressionModel')
    for (const { targetCategory = '' } of model.tables) yield targetCategory
  if (model.element === 'GeneralRegressionModel') yield model.referenceCategory ?? ''
  if (model.element !== 'TreeModel') return
  if (Array.isArray(model.nodes))
    for (const { score, distribution = [] } of model.nodes) {
      if (score !== undefined) yield score
      for (const { value } of distribution) yield value
    }
  else {
    const { shapes, score = [], texts } = model.nodes
    for (const { values } of shapes) yield* values
    for (const place of new Set(score)) yield texts[place] ?? ''
  }
}
