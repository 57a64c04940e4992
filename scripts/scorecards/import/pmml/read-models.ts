import {
  type MiningField,
  type OutputField,
  type PmmlElement,
  type PmmlMining,
  type PmmlRegression,
  type PmmlScorecard,
  type Target,
  WORDS,
} from '../../../../db/scorecards/definition/pmml.ts'
import { isUntreated } from '../../../../worker/scoring/pmml/mining-schema.ts'
import { PmmlImportError } from './pmml-import-error.ts'
import { type Common, type ReadContext, refer } from './read-context.ts'
import { readDerivedFields } from './read-dictionary.ts'
import { type ElementReader, readElement } from './read-element.ts'
import { readInnerExpression } from './read-expressions.ts'
import { readGeneralRegression } from './read-general-regression.ts'
import { readInnerPredicate } from './read-predicates.ts'
import { readTree } from './read-tree.ts'
import type { XmlElement } from './read-xml.ts'

const READERS: Record<
  PmmlElement['element'],
  (from: ElementReader, common: Common, reading: ReadContext) => PmmlElement
> = {
  Scorecard: readScorecard,
  RegressionModel: readRegression,
  GeneralRegressionModel: readGeneralRegression,
  TreeModel: readTree,
  MiningModel: readMining,
}

export const MODELS = Object.keys(READERS)

export function readModel(element: XmlElement, reading: ReadContext): PmmlElement {
  return readElement(element, (from) =>
    READERS[element.name as PmmlElement['element']](from, readCommon(from, reading), reading),
  )
}

function readCommon(from: ElementReader, reading: ReadContext): Common {
  from.ignore('algorithmName')
  from.skip('ModelStats', 'ModelExplanation', 'ModelVerification')
  if (!from.flag('isScorable', true)) from.fail('the model is not for scoring (isScorable)')
  const mathContext = from.choice('x-mathContext', ['double', ...WORDS.mathContexts])
  const local = from.child('LocalTransformations')
  const targets = from.child('Targets')
  const output = from.child('Output')
  const isScorecard = from.element.name === 'Scorecard'
  return {
    name: from.text('modelName'),
    mathContext: mathContext === 'double' ? undefined : mathContext,
    function:
      from.choice('functionName', WORDS.functions, isScorecard ? 'regression' : undefined) ??
      from.fail('the attribute functionName is missing'),
    fields: readElement(from.requiredChild('MiningSchema'), (schema) =>
      schema.children('MiningField').map((field) => readElement(field, readMiningField)),
    ),
    derived: local
      ? readElement(local, (transformations) => readDerivedFields(transformations, reading))
      : [],
    targets: targets
      ? readElement(targets, (all) => all.children('Target').map((target) => readElement(target, readTarget)))
      : [],
    outputs: output ? readOutputs(output, reading) : [],
  }
}

function readMiningField(from: ElementReader): MiningField {
  from.ignore('optype', 'importance')
  const usage = from.choice(
    'usageType',
    ['active', 'predicted', 'target', 'supplementary', 'group', 'order', 'frequencyWeight', 'analysisWeight'],
    'active',
  )
  const missing = from.choice(
    'missingValueTreatment',
    ['asIs', 'asMean', 'asMode', 'asMedian', 'asValue', 'returnInvalid'],
    'asIs',
  )
  const field: MiningField = {
    name: from.required('name'),
    usage:
      usage === 'target' || usage === 'predicted'
        ? 'target'
        : usage === 'active'
          ? 'active'
          : 'supplementary',
    // the method of replacement is informative; only the replacement matters
    missing: missing === 'returnInvalid' ? 'returnInvalid' : 'asIs',
    missingValueReplacement: from.text('missingValueReplacement'),
    invalid: from.choice('invalidValueTreatment', WORDS.invalidTreatments, 'returnInvalid'),
    invalidValueReplacement: from.text('invalidValueReplacement'),
    outliers: from.choice('outliers', WORDS.outliers, 'asIs'),
    low: from.bound('lowValue', '-INF'),
    high: from.bound('highValue', 'INF'),
  }
  if (missing !== 'asIs' && missing !== 'returnInvalid' && field.missingValueReplacement === undefined)
    from.fail(`missingValueTreatment="${missing}" needs a missingValueReplacement`)
  if (field.invalid === 'asValue' && field.invalidValueReplacement === undefined)
    from.fail('invalidValueTreatment="asValue" needs an invalidValueReplacement')
  if (field.invalid !== 'asValue' && field.invalidValueReplacement !== undefined)
    from.fail(
      'invalidValueReplacement is only for invalidValueTreatment="asValue": use that treatment, or remove the replacement',
    )
  if (field.outliers !== 'asIs' && field.low === undefined && field.high === undefined)
    from.fail(`outliers="${field.outliers}" needs a lowValue or a highValue`)
  return field
}

function readTarget(from: ElementReader): Target {
  from.ignore('optype')
  return {
    field: from.text('field'),
    castInteger: from.choice('castInteger', WORDS.casts),
    min: from.bound('min', '-INF'),
    max: from.bound('max', 'INF'),
    rescaleFactor: from.number('rescaleFactor') ?? 1,
    rescaleConstant: from.number('rescaleConstant') ?? 0,
    values: from.children('TargetValue').map((value) =>
      readElement(value, (of) => {
        of.skip('Partition')
        return {
          value: of.text('value'),
          displayValue: of.text('displayValue'),
          priorProbability: readPrior(of),
          defaultValue: of.number('defaultValue'),
        }
      }),
    ),
  }
}

function readPrior(of: ElementReader): number | undefined {
  const prior = of.number('priorProbability')
  return prior !== undefined && prior < 0 ? of.fail(`priorProbability="${prior}" is below 0`) : prior
}

/** Other kinds of outputs are omitted, because no score needs them; a reference to one is rejected. */
const LEFT_OUT = [
  'affinity',
  'residual',
  'standardError',
  'standardDeviation',
  'clusterId',
  'clusterAffinity',
  'entityAffinity',
  'warning',
  'confidenceIntervalLower',
  'confidenceIntervalUpper',
] as const

function readOutputs(output: XmlElement, reading: ReadContext): OutputField[] {
  return readElement(output, (from) =>
    from
      .children('OutputField')
      .flatMap((element) => readElement(element, (field) => readOutputField(field, reading) ?? [])),
  )
}

function readOutputField(from: ElementReader, reading: ReadContext): OutputField | undefined {
  from.ignore('displayName', 'optype', 'targetField')
  from.skip('Decisions', 'Value')
  const name = from.required('name')
  const feature = from.choice('feature', [...WORDS.features, ...LEFT_OUT], 'predictedValue')
  const field = {
    name,
    dataType: from.choice('dataType', WORDS.dataTypes),
    value: from.text('value'),
    rank: from.integer('rank', 1),
    isFinalResult: from.flag('isFinalResult', true),
    expression: readInnerExpression(from, reading),
  }
  if (from.flag('isMultiValued', false)) from.fail('isMultiValued is not supported')
  if (isLeftOut(feature)) {
    reading.notes.push(`The output ${name} (${feature}) is omitted.`)
    return undefined
  }
  return { ...field, feature }
}

const isLeftOut = (feature: string): feature is (typeof LEFT_OUT)[number] =>
  (LEFT_OUT as readonly string[]).includes(feature)

function readScorecard(from: ElementReader, common: Common, reading: ReadContext): PmmlScorecard {
  from.choice('baselineMethod', ['max', 'min', 'mean', 'neutral', 'other'])
  const baselineScore = from.number('baselineScore')
  const useReasonCodes = from.flag('useReasonCodes', true)
  return {
    element: 'Scorecard',
    ...common,
    initialScore: from.number('initialScore') ?? 0,
    useReasonCodes,
    reasonCodeAlgorithm: from.choice('reasonCodeAlgorithm', WORDS.reasonCodeAlgorithms, 'pointsBelow'),
    characteristics: readElement(from.requiredChild('Characteristics'), (all) =>
      all.children('Characteristic').map((element, at) =>
        readElement(element, (characteristic) => {
          const read = readCharacteristic(characteristic, at, baselineScore, reading)
          if (useReasonCodes && read.baselineScore === undefined)
            characteristic.fail('the baselineScore is missing, which reason codes need')
          if (
            useReasonCodes &&
            read.attributes.some(({ reasonCode }) => (reasonCode ?? read.reasonCode) === undefined)
          )
            characteristic.fail('an Attribute has no reasonCode, which useReasonCodes requires')
          return read
        }),
      ),
    ),
  }
}

function readCharacteristic(
  from: ElementReader,
  at: number,
  baselineScore: number | undefined,
  reading: ReadContext,
): PmmlScorecard['characteristics'][number] {
  return {
    name: from.text('name') ?? `characteristic ${at + 1}`,
    reasonCode: from.text('reasonCode'),
    baselineScore: from.number('baselineScore') ?? baselineScore,
    attributes: from.children('Attribute').map((element) =>
      readElement(element, (attribute) => {
        const complex = attribute.child('ComplexPartialScore')
        const points = attribute.number('partialScore')
        const expression =
          complex &&
          readElement(
            complex,
            (of) => readInnerExpression(of, reading) ?? of.fail('the expression is missing'),
          )
        return {
          predicate: readInnerPredicate(attribute, reading),
          // if there are both, the expression takes precedence
          partialScore: expression ?? points ?? attribute.fail('the partialScore is missing'),
          reasonCode: attribute.text('reasonCode'),
        }
      }),
    ),
  }
}

function readRegression(from: ElementReader, common: Common, reading: ReadContext): PmmlRegression {
  from.ignore('modelType', 'targetFieldName')
  return {
    element: 'RegressionModel',
    ...common,
    normalization: from.choice('normalizationMethod', WORDS.normalizations, 'none'),
    tables: from.children('RegressionTable').map((element) =>
      readElement(element, (table) => ({
        intercept: table.requiredNumber('intercept'),
        targetCategory: table.text('targetCategory'),
        numeric: table.children('NumericPredictor').map((predictor) =>
          readElement(predictor, (of) => ({
            field: refer(reading, of.required('name')),
            exponent: of.integer('exponent', 1),
            coefficient: of.requiredNumber('coefficient'),
          })),
        ),
        categorical: table.children('CategoricalPredictor').map((predictor) =>
          readElement(predictor, (of) => ({
            field: refer(reading, of.required('name')),
            value: of.required('value'),
            coefficient: of.requiredNumber('coefficient'),
          })),
        ),
        terms: table.children('PredictorTerm').map((term) =>
          readElement(term, (of) => {
            of.ignore('name')
            return {
              coefficient: of.requiredNumber('coefficient'),
              fields: of
                .children('FieldRef')
                .map((ref) => readElement(ref, (field) => refer(reading, field.required('field')))),
            }
          }),
        ),
      })),
    ),
  }
}

function readMining(from: ElementReader, common: Common, reading: ReadContext): PmmlMining {
  return readElement(from.requiredChild('Segmentation'), (segmentation) => ({
    element: 'MiningModel',
    ...common,
    method:
      segmentation.choice('multipleModelMethod', WORDS.methods) ??
      segmentation.fail('the attribute multipleModelMethod is missing'),
    missingPredictionTreatment: segmentation.choice(
      'missingPredictionTreatment',
      WORDS.missingPredictions,
      'continue',
    ),
    missingThreshold: segmentation.number('missingThreshold') ?? 1,
    segments: segmentation
      .children('Segment')
      .map((element) => reading.segments.get(element) ?? readSegment(element, reading)),
  }))
}

export function readSegment(element: XmlElement, reading: ReadContext): PmmlMining['segments'][number] {
  return readElement(element, (segment) => {
    const [model, second] = segment.children(...MODELS)
    if (second) throw new PmmlImportError('only one model is allowed', second)
    const unknown = segment.element.children.find(({ name }) => isModel(name) && !MODELS.includes(name))
    if (unknown) throw new PmmlImportError('this kind of model is not supported', unknown)
    return {
      id: segment.text('id'),
      weight: segment.number('weight') ?? 1,
      predicate: readInnerPredicate(segment, reading),
      model: withoutUntreated(model ? readModel(model, reading) : segment.fail('the model is missing')),
    }
  })
}

/** The model of a segment inherits untreated fields from the surrounding model, whether listed or not. */
const withoutUntreated = (model: PmmlElement): PmmlElement => ({
  ...model,
  fields: model.fields.filter((field) => field.usage === 'target' || !isUntreated(field)),
})

/** Whether a PMML element is a model. */
export const isModel = (name: string): boolean => /Model$|^(Scorecard|NeuralNetwork)$/.test(name)
