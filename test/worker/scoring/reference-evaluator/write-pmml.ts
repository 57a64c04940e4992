import type {
  DataField,
  DerivedField,
  Expression,
  Interval,
  MiningField,
  OutputField,
  PmmlElement,
  PmmlModel,
  PmmlNode,
  Predicate,
  RegressionTable,
  Target,
} from '../../../../db/scorecards/definition/pmml.ts'
import { writeLink, writeParameters } from './write-general-regression.ts'
import { type Attributes, escaped, tag } from './write-tag.ts'

/** Writes a definition as an equivalent PMML file. Nodes need ids. */
export function writePmml({ version, dictionary, functions, derived, model }: PmmlModel): string {
  const defined = functions.map(({ name, dataType, parameters, expression }) =>
    tag(
      'DefineFunction',
      { name, dataType, optype: 'continuous' },
      ...parameters.map((parameter) => tag('ParameterField', { ...parameter, optype: 'continuous' })),
      writeExpression(expression),
    ),
  )
  return tag(
    'PMML',
    { version, xmlns: `http://www.dmg.org/PMML-${version.replace('.', '_')}` },
    '<Header/>',
    tag('DataDictionary', { numberOfFields: dictionary.length }, ...dictionary.map(writeDataField)),
    tag('TransformationDictionary', {}, ...defined, ...derived.map(writeDerived)),
    writeModel(model),
  )
}

function writeDataField({ name, optype, dataType, ...field }: DataField): string {
  const { values, invalid, missing, intervals } = field
  const listed = { valid: values, invalid, missing }
  return tag(
    'DataField',
    { name, optype, dataType },
    ...(intervals ?? []).map(writeInterval),
    ...Object.entries(listed).flatMap(([property, texts]) =>
      (texts ?? []).map((value) => tag('Value', { value, property })),
    ),
  )
}

const writeInterval = ({ closure, left, right }: Interval): string =>
  tag('Interval', { closure, leftMargin: left, rightMargin: right })

const writeMiningField = (field: MiningField): string =>
  tag('MiningField', {
    ...{ name: field.name, usageType: field.usage, outliers: field.outliers },
    ...{ lowValue: field.low, highValue: field.high },
    missingValueReplacement: field.missingValueReplacement,
    missingValueTreatment: field.missing,
    invalidValueTreatment: field.invalid,
    invalidValueReplacement: field.invalidValueReplacement,
  })

const writeDerived = ({ expression, ...attributes }: DerivedField): string =>
  tag('DerivedField', attributes, writeExpression(expression))

function writeExpression(expression: Expression): string {
  switch (expression.element) {
    case 'Constant':
      return expression.value === undefined
        ? tag('Constant', { missing: true })
        : tag('Constant', { dataType: expression.dataType }, escaped(expression.value))
    case 'FieldRef':
    case 'NormDiscrete': {
      const { element, ...attributes } = expression
      return tag(element, attributes)
    }
    case 'Apply': {
      const { element, arguments: inner, invalid, ...attributes } = expression
      return tag(element, { ...attributes, invalidValueTreatment: invalid }, ...inner.map(writeExpression))
    }
    case 'NormContinuous': {
      const { element, norms, ...attributes } = expression
      return tag(element, attributes, ...norms.map((norm) => tag('LinearNorm', norm)))
    }
    case 'Discretize': {
      const { element, bins, ...attributes } = expression
      const written = bins.map(({ value, interval }) =>
        tag('DiscretizeBin', { binValue: value }, writeInterval(interval)),
      )
      return tag(element, attributes, ...written)
    }
    case 'MapValues': {
      const { element, fields, rows, ...attributes } = expression
      const pairs = fields.map((field, at) => tag('FieldColumnPair', { field, column: `c${at}` }))
      const written = rows.map((cells) =>
        tag('row', {}, ...cells.map((cell, at) => tag(`c${at}`, {}, escaped(cell)))),
      )
      const outputColumn = `c${fields.length}`
      return tag(element, { ...attributes, outputColumn }, ...pairs, tag('InlineTable', {}, ...written))
    }
  }
}

function writePredicate(predicate: Predicate): string {
  const { element } = predicate
  switch (element) {
    case 'True':
    case 'False':
      return tag(element, {})
    case 'SimplePredicate': {
      const { field, operator, value } = predicate
      return tag(element, { field, operator, value })
    }
    case 'SimpleSetPredicate': {
      const { field, operator, values } = predicate
      const quoted = values.map((value) => `"${value}"`).join(' ')
      return tag(
        element,
        { field, booleanOperator: operator },
        tag('Array', { type: 'string', n: values.length }, escaped(quoted)),
      )
    }
    case 'CompoundPredicate':
      return tag(
        element,
        { booleanOperator: predicate.operator },
        ...predicate.predicates.map(writePredicate),
      )
  }
}

function writeModel(model: PmmlElement): string {
  const attributes = {
    ...{ modelName: model.name, functionName: model.function },
    'x-mathContext': model.mathContext,
  }
  const { rest, inner } = writeOwn(model)
  return tag(
    model.element,
    { ...attributes, ...rest },
    tag('MiningSchema', {}, ...model.fields.map(writeMiningField)),
    model.outputs.length > 0 ? tag('Output', {}, ...model.outputs.map(writeOutput)) : '',
    model.targets.length > 0 ? tag('Targets', {}, ...model.targets.map(writeTarget)) : '',
    tag('LocalTransformations', {}, ...model.derived.map(writeDerived)),
    ...inner,
  )
}

/** Writes the attributes and elements specific to a kind of model. */
function writeOwn(model: PmmlElement): { rest: Attributes; inner: string[] } {
  switch (model.element) {
    case 'RegressionModel':
      return { rest: { normalizationMethod: model.normalization }, inner: model.tables.map(writeTable) }
    case 'GeneralRegressionModel':
      return { rest: writeLink(model), inner: writeParameters(model) }
    case 'Scorecard': {
      const { initialScore, useReasonCodes, reasonCodeAlgorithm } = model
      const characteristics = model.characteristics.map(({ attributes, ...own }) =>
        tag('Characteristic', own, ...attributes.map(writeAttribute)),
      )
      return {
        rest: { initialScore, useReasonCodes, reasonCodeAlgorithm },
        inner: [tag('Characteristics', {}, ...characteristics)],
      }
    }
    case 'TreeModel': {
      const { missingValueStrategy, missingValuePenalty, noTrueChildStrategy } = model
      return {
        rest: { missingValueStrategy, missingValuePenalty, noTrueChildStrategy },
        inner: [writeNode(Array.isArray(model.nodes) ? model.nodes : [], 0)],
      }
    }
    case 'MiningModel': {
      const { method, missingPredictionTreatment, missingThreshold, segments } = model
      const written = segments.map(({ id, weight, predicate, model: own }) =>
        tag('Segment', { id, weight }, writePredicate(predicate), writeModel(own)),
      )
      const attributes = { multipleModelMethod: method, missingPredictionTreatment, missingThreshold }
      return { rest: {}, inner: [tag('Segmentation', attributes, ...written)] }
    }
  }
}

type ScorecardAttribute = Extract<
  PmmlElement,
  { element: 'Scorecard' }
>['characteristics'][number]['attributes'][number]

const writeAttribute = ({ predicate, partialScore, reasonCode }: ScorecardAttribute): string =>
  typeof partialScore === 'number'
    ? tag('Attribute', { partialScore, reasonCode }, writePredicate(predicate))
    : tag(
        'Attribute',
        { reasonCode },
        writePredicate(predicate),
        tag('ComplexPartialScore', {}, writeExpression(partialScore)),
      )

const writeTable = ({ intercept, targetCategory, numeric, categorical, terms }: RegressionTable): string =>
  tag(
    'RegressionTable',
    { intercept, targetCategory },
    ...numeric.map(({ field, ...own }) => tag('NumericPredictor', { name: field, ...own })),
    ...categorical.map(({ field, ...own }) => tag('CategoricalPredictor', { name: field, ...own })),
    ...terms.map(({ coefficient, fields }) =>
      tag('PredictorTerm', { coefficient }, ...fields.map((field) => tag('FieldRef', { field }))),
    ),
  )

function writeNode(nodes: readonly PmmlNode[], at: number): string {
  const node = nodes[at]
  if (!node) throw new Error(`no node ${at}`)
  const { id, score, recordCount, predicate, children, defaultChild, distribution = [] } = node
  const defaultId = defaultChild === undefined ? undefined : nodes[defaultChild]?.id
  return tag(
    'Node',
    { id, score, recordCount, defaultChild: defaultId },
    writePredicate(predicate),
    ...distribution.map((entry) => tag('ScoreDistribution', entry)),
    ...children.map((child) => writeNode(nodes, child)),
  )
}

function writeTarget({ values, ...attributes }: Target): string {
  return tag('Target', attributes, ...values.map((value) => tag('TargetValue', value)))
}

const writeOutput = ({ expression, ...attributes }: OutputField): string =>
  tag('OutputField', { ...attributes, optype: 'categorical' }, expression ? writeExpression(expression) : '')
