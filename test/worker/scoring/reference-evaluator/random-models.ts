import type {
  MiningField,
  OutputField,
  PmmlElement,
  PmmlModel,
  Target,
} from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'
import type { ModelContext } from './model-context.ts'
import { someDerived } from './random-expressions.ts'
import { type RandomField, someData } from './random-fields.ts'
import { aGeneralRegression } from './random-general-regression.ts'
import { aMining } from './random-mining.ts'
import { someOutputs, someTargets } from './random-outputs.ts'
import { aRegression } from './random-regressions.ts'
import { aScorecard } from './random-scorecards.ts'
import { aTree } from './random-trees.ts'

type Function = PmmlElement['function']

/** A model with the names and types of its input fields. */
export interface RandomModel {
  readonly definition: PmmlModel
  readonly inputs: readonly RandomField[]
}

/** Draws a consistent PMML definition. */
export function aModel(draw: Draw, { contrasts = true } = {}): RandomModel {
  const { data, fields, known: inputs } = someData(draw)
  const known = [...inputs]
  const derived = someDerived(draw, 'g', known, 2)
  const modelFunction = draw.pick(['regression', 'classification'] as const)
  const categories = ['lo', 'mi', 'hi'].slice(0, draw.whole(2, 3))
  const isOrdinal = modelFunction === 'classification' && draw.chance(20)
  let names = 0
  const context: ModelContext = {
    draw,
    known,
    categories,
    isOrdinal,
    contrasts,
    depth: 2,
    name: (of) => `${of}${names++}`,
  }
  const model = anElement(context, modelFunction)
  const definition: PmmlModel = {
    kind: 'pmml',
    version: '4.4',
    dictionary: [...data, { ...targetField(context, modelFunction) }],
    functions: [
      {
        name: 'twice',
        dataType: 'double',
        parameters: [{ name: 'p', dataType: 'double' }],
        expression: {
          ...{ element: 'Apply', function: '+', invalid: 'returnInvalid' },
          arguments: [
            { element: 'FieldRef', field: 'p' },
            { element: 'FieldRef', field: 'p' },
          ],
        },
      },
    ],
    derived,
    model: { ...model, fields: [...fields, ...model.fields] },
  }
  return { definition, inputs }
}

const targetField = (
  { categories, isOrdinal }: ModelContext,
  of: Function,
): PmmlModel['dictionary'][number] =>
  of === 'regression'
    ? { name: 't', optype: 'continuous', dataType: 'double' }
    : {
        name: 't',
        optype: isOrdinal ? 'ordinal' : 'categorical',
        dataType: 'string',
        values: [...categories],
      }

const TARGET: MiningField = { name: 't', usage: 'target', missing: 'asIs', invalid: 'asIs', outliers: 'asIs' }

/** Draws a model element of any kind, with outputs. */
function anElement(enclosing: ModelContext, modelFunction: Function): PmmlElement {
  const { draw, isOrdinal } = enclosing
  const context: ModelContext = { ...enclosing, known: [...enclosing.known], depth: enclosing.depth - 1 }
  const derived = someDerived(draw, context.name('l'), context.known, 1)
  const way = draw.whole(0, enclosing.depth > 0 ? 5 : 2)
  const common = {
    function: modelFunction,
    fields: [TARGET],
    derived,
    targets: [] as Target[],
    outputs: [] as OutputField[],
  }
  const element =
    way >= 3
      ? aMining(context, common, anElement)
      : way === 2
        ? aTree(context, common)
        : way === 1 && modelFunction === 'regression'
          ? aScorecard(context, common)
          : !isOrdinal && draw.chance(50)
            ? aGeneralRegression(context, common)
            : aRegression(context, common)
  const isPassedOn =
    element.element === 'MiningModel' && (element.method === 'modelChain' || element.method === 'selectFirst')
  const targets = isPassedOn ? [] : someTargets(context, element)
  return { ...element, ...aMathContext(draw, element), targets, outputs: someOutputs(context, element) }
}

/** Draws 32-bit arithmetic for trees and their sums, as XGBoost exports them, and for regressions without a link. */
function aMathContext(draw: Draw, element: PmmlElement): Pick<PmmlElement, 'mathContext'> {
  const isSummed =
    element.element === 'TreeModel' ||
    (element.element === 'RegressionModel' && element.normalization === 'none') ||
    (element.element === 'MiningModel' && element.method !== 'median')
  return element.function === 'regression' && isSummed && draw.chance(30) ? { mathContext: 'float' } : {}
}
