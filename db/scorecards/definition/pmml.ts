import { z } from 'zod'
import type { ModelNames, ModelPath } from './model-errors.ts'

/**
 * A PMML model as JSON, with defaults filled in; scripts/scorecards/import/pmml reads it from the XML.
 *
 * Names are those of the standard. A value of a field is a text, as in the file; it is parsed by the data type of the field when
 * the model is compiled (worker/scoring/pmml).
 *
 * @see https://dmg.org/pmml/v4-4/GeneralStructure.html
 */

const MAX_DEPTH = 100
const MAX_MODEL_DEPTH = 8
/** Bounds recursion: some missing value strategies traverse several branches of a tree. */
const MAX_TREE_DEPTH = 250
const MAX_ITEMS = 100_000
const MAX_NODES = 1_000_000

const Name = z.string().min(1).max(200)
const Text = z.string().max(4_000)
const Finite = z.number()
const list = <S extends z.ZodType>(schema: S, max = MAX_ITEMS) => z.array(schema).max(max)

/** Supported values of the standard's enumerations, by their meaning; the import checks files by the same lists. */
export const WORDS = {
  dataTypes: ['string', 'integer', 'float', 'double', 'boolean', 'date', 'time', 'dateTime'],
  opTypes: ['categorical', 'ordinal', 'continuous'],
  closures: ['openClosed', 'openOpen', 'closedOpen', 'closedClosed'],
  invalidTreatments: ['returnInvalid', 'asIs', 'asMissing', 'asValue'],
  invalidResults: ['returnInvalid', 'asIs', 'asMissing'],
  outliers: ['asIs', 'asMissingValues', 'asExtremeValues'],
  operators: [
    'equal',
    'notEqual',
    'lessThan',
    'lessOrEqual',
    'greaterThan',
    'greaterOrEqual',
    'isMissing',
    'isNotMissing',
  ],
  setOperators: ['isIn', 'isNotIn'],
  compounds: ['and', 'or', 'xor', 'surrogate'],
  casts: ['round', 'ceiling', 'floor'],
  features: [
    'predictedValue',
    'predictedDisplayValue',
    'transformedValue',
    'decision',
    'probability',
    'confidence',
    'entityId',
    'reasonCode',
  ],
  functions: ['regression', 'classification'],
  reasonCodeAlgorithms: ['pointsAbove', 'pointsBelow'],
  normalizations: ['none', 'simplemax', 'softmax', 'logit', 'probit', 'cloglog', 'exp', 'loglog', 'cauchit'],
  mathContexts: ['float'],
  modelTypes: ['regression', 'generalLinear', 'generalizedLinear', 'multinomialLogistic'],
  links: [
    'identity',
    'logit',
    'probit',
    'cloglog',
    'loglog',
    'cauchit',
    'log',
    'logc',
    'negbin',
    'power',
    'oddspower',
  ],
  missingValueStrategies: [
    'none',
    'lastPrediction',
    'nullPrediction',
    'defaultChild',
    'weightedConfidence',
    'aggregateNodes',
  ],
  noTrueChildStrategies: ['returnNullPrediction', 'returnLastPrediction'],
  methods: [
    'majorityVote',
    'weightedMajorityVote',
    'average',
    'weightedAverage',
    'median',
    'max',
    'sum',
    'weightedSum',
    'selectFirst',
    'modelChain',
  ],
  missingPredictions: ['continue', 'skipSegment', 'returnMissing'],
} as const

type Word<K extends keyof typeof WORDS> = (typeof WORDS)[K][number]

const DataType = z.enum(WORDS.dataTypes)
export type DataType = z.output<typeof DataType>

const OpType = z.enum(WORDS.opTypes)

const Interval = z.strictObject({
  closure: z.enum(WORDS.closures),
  left: Finite.optional(),
  right: Finite.optional(),
})
export type Interval = z.output<typeof Interval>

const DataField = z.strictObject({
  name: Name,
  optype: OpType,
  dataType: DataType,
  values: list(Text).optional().meta({ description: 'Valid values; left out, and without intervals: any' }),
  invalid: list(Text).optional(),
  missing: list(Text).optional().meta({ description: 'Values that mean missing' }),
  displays: list(z.strictObject({ value: Text, display: Text }))
    .optional()
    .meta({ description: 'Texts for people, returned by predictedDisplayValue' }),
  intervals: list(Interval).optional(),
})
export type DataField = z.output<typeof DataField>

const MiningField = z.strictObject({
  name: Name,
  usage: z.enum(['active', 'supplementary', 'target']),
  missing: z.enum(['asIs', 'returnInvalid']),
  missingValueReplacement: Text.optional(),
  invalid: z.enum(WORDS.invalidTreatments),
  invalidValueReplacement: Text.optional(),
  outliers: z.enum(WORDS.outliers),
  low: Finite.optional(),
  high: Finite.optional(),
})
export type MiningField = z.output<typeof MiningField>

type Maybe<T> = T | undefined

export type Expression =
  | { element: 'Constant'; value?: Maybe<string>; dataType?: Maybe<DataType> }
  | { element: 'FieldRef'; field: string; mapMissingTo?: Maybe<string> }
  | {
      element: 'Apply'
      function: string
      arguments: Expression[]
      mapMissingTo?: Maybe<string>
      defaultValue?: Maybe<string>
      invalid: Word<'invalidResults'>
    }
  | {
      element: 'NormContinuous'
      field: string
      norms: { orig: number; norm: number }[]
      outliers: Word<'outliers'>
      mapMissingTo?: Maybe<number>
    }
  | { element: 'NormDiscrete'; field: string; value: string; mapMissingTo?: Maybe<number> }
  | {
      element: 'Discretize'
      field: string
      bins: { value: string; interval: Interval }[]
      dataType?: Maybe<DataType>
      mapMissingTo?: Maybe<string>
      defaultValue?: Maybe<string>
    }
  | {
      element: 'MapValues'
      fields: string[]
      /** The values of the fields, then the mapped value. */
      rows: string[][]
      dataType?: Maybe<DataType>
      mapMissingTo?: Maybe<string>
      defaultValue?: Maybe<string>
    }

/** Builds one schema for each depth, so that no input causes unbounded recursion. */
function bounded<T>(make: (inner: z.ZodType<T>) => z.ZodType<T>, depth: number, what: string): z.ZodType<T> {
  const levels: z.ZodType<T>[] = []
  const level = (at: number): z.ZodType<T> => {
    if (at >= depth) return z.custom<T>(() => false, `${what} are nested more than ${depth} deep`)
    const schema = levels[at] ?? make(z.lazy(() => level(at + 1)))
    levels[at] = schema
    return schema
  }
  return level(0)
}

const Expression = bounded<Expression>(
  (inner) =>
    z.discriminatedUnion('element', [
      z.strictObject({
        element: z.literal('Constant'),
        value: Text.optional().meta({ description: 'Left out: missing' }),
        dataType: DataType.optional(),
      }),
      z.strictObject({ element: z.literal('FieldRef'), field: Name, mapMissingTo: Text.optional() }),
      z.strictObject({
        element: z.literal('Apply'),
        function: Name,
        arguments: list(inner, 10_000),
        mapMissingTo: Text.optional(),
        defaultValue: Text.optional(),
        invalid: z.enum(WORDS.invalidResults),
      }),
      z.strictObject({
        element: z.literal('NormContinuous'),
        field: Name,
        norms: list(z.strictObject({ orig: Finite, norm: Finite })).min(2),
        outliers: z.enum(WORDS.outliers),
        mapMissingTo: Finite.optional(),
      }),
      z.strictObject({
        element: z.literal('NormDiscrete'),
        field: Name,
        value: Text,
        mapMissingTo: Finite.optional(),
      }),
      z.strictObject({
        element: z.literal('Discretize'),
        field: Name,
        bins: list(z.strictObject({ value: Text, interval: Interval })),
        dataType: DataType.optional(),
        mapMissingTo: Text.optional(),
        defaultValue: Text.optional(),
      }),
      z.strictObject({
        element: z.literal('MapValues'),
        fields: list(Name, 100).min(1),
        rows: list(list(Text, 101)),
        dataType: DataType.optional(),
        mapMissingTo: Text.optional(),
        defaultValue: Text.optional(),
      }),
    ]),
  MAX_DEPTH,
  'expressions',
)

export type SimpleOperator = Word<'operators'>

export type Predicate =
  | { element: 'True' }
  | { element: 'False' }
  | { element: 'SimplePredicate'; field: string; operator: SimpleOperator; value?: Maybe<string> }
  | { element: 'SimpleSetPredicate'; field: string; operator: Word<'setOperators'>; values: string[] }
  | { element: 'CompoundPredicate'; operator: Word<'compounds'>; predicates: Predicate[] }

const Predicate = bounded<Predicate>(
  (inner) =>
    z.discriminatedUnion('element', [
      z.strictObject({ element: z.literal('True') }),
      z.strictObject({ element: z.literal('False') }),
      z.strictObject({
        element: z.literal('SimplePredicate'),
        field: Name,
        operator: z.enum(WORDS.operators),
        value: Text.optional(),
      }),
      z.strictObject({
        element: z.literal('SimpleSetPredicate'),
        field: Name,
        operator: z.enum(WORDS.setOperators),
        values: list(Text),
      }),
      z.strictObject({
        element: z.literal('CompoundPredicate'),
        operator: z.enum(WORDS.compounds),
        predicates: list(inner, 10_000).min(1),
      }),
    ]),
  MAX_DEPTH,
  'predicates',
)

const DerivedField = z.strictObject({
  name: Name,
  optype: OpType,
  dataType: DataType,
  expression: Expression,
})
export type DerivedField = z.output<typeof DerivedField>

const DefineFunction = z.strictObject({
  name: Name,
  dataType: DataType.optional(),
  parameters: list(z.strictObject({ name: Name, dataType: DataType.optional() }), 100),
  expression: Expression,
})
export type DefineFunction = z.output<typeof DefineFunction>

const Target = z.strictObject({
  field: Name.optional(),
  castInteger: z.enum(WORDS.casts).optional(),
  min: Finite.optional(),
  max: Finite.optional(),
  rescaleFactor: Finite,
  rescaleConstant: Finite,
  values: list(
    z.strictObject({
      value: Text.optional(),
      displayValue: Text.optional(),
      priorProbability: Finite.optional(),
      defaultValue: Finite.optional(),
    }),
  ),
})
export type Target = z.output<typeof Target>

const OutputField = z.strictObject({
  name: Name,
  feature: z.enum(WORDS.features),
  dataType: DataType.optional(),
  value: Text.optional().meta({ description: 'The category, for probability and confidence' }),
  rank: z.int().min(1).max(MAX_ITEMS),
  isFinalResult: z.boolean(),
  expression: Expression.optional(),
})
export type OutputField = z.output<typeof OutputField>

const common = {
  name: Text.optional(),
  mathContext: z.enum(WORDS.mathContexts).optional().meta({
    description: 'float: every step in 32 bits, as in XGBoost and H2O; left out: double',
  }),
  function: z.enum(WORDS.functions),
  fields: list(MiningField),
  derived: list(DerivedField),
  targets: list(Target, 100),
  outputs: list(OutputField, 10_000),
}

const Attribute = z.strictObject({
  predicate: Predicate,
  partialScore: z.union([Finite, Expression]),
  reasonCode: Name.optional(),
})

const Scorecard = z.strictObject({
  element: z.literal('Scorecard'),
  ...common,
  initialScore: Finite,
  useReasonCodes: z.boolean(),
  reasonCodeAlgorithm: z.enum(WORDS.reasonCodeAlgorithms),
  characteristics: list(
    z.strictObject({
      name: Name,
      baselineScore: Finite.optional(),
      reasonCode: Name.optional(),
      attributes: list(Attribute).min(1),
    }),
  ).min(1),
})
export type PmmlScorecard = z.output<typeof Scorecard>

const RegressionTable = z.strictObject({
  intercept: Finite,
  targetCategory: Text.optional(),
  numeric: list(z.strictObject({ field: Name, exponent: z.int(), coefficient: Finite })),
  categorical: list(z.strictObject({ field: Name, value: Text, coefficient: Finite })),
  terms: list(z.strictObject({ coefficient: Finite, fields: list(Name, 100).min(1) })),
})
export type RegressionTable = z.output<typeof RegressionTable>

const RegressionModel = z.strictObject({
  element: z.literal('RegressionModel'),
  ...common,
  normalization: z.enum(WORDS.normalizations),
  tables: list(RegressionTable, 10_000).min(1),
})
export type PmmlRegression = z.output<typeof RegressionModel>

/** The factor of a parameter: a power of a number, 1 for one category and 0 for others, or a contrast. */
const PredictorCell = z.union([
  z.strictObject({ field: Name, exponent: Finite }),
  z.strictObject({ field: Name, category: Text }),
  z.strictObject({
    field: Name,
    contrasts: list(z.strictObject({ category: Text, value: Finite }), 10_000).min(1),
  }),
])
export type PredictorCell = z.output<typeof PredictorCell>

const OwnOrField = z.union([Finite, z.strictObject({ field: Name })])

/** PPMatrix and ParamMatrix combined: each table is the linear predictor of a category, or of the number. */
const GeneralRegressionModel = z.strictObject({
  element: z.literal('GeneralRegressionModel'),
  ...common,
  modelType: z.enum(WORDS.modelTypes),
  link: z.enum(WORDS.links).optional(),
  linkParameter: Finite.optional(),
  distributionParameter: Finite.optional(),
  offset: OwnOrField.optional().meta({ description: 'Added to the linear predictor' }),
  trials: OwnOrField.optional().meta({ description: 'Factor of the mean' }),
  referenceCategory: Text.optional().meta({
    description: 'The category without a table, for classification',
  }),
  tables: list(
    z.strictObject({
      targetCategory: Text.optional(),
      parameters: list(z.strictObject({ coefficient: Finite, cells: list(PredictorCell, 100) })),
    }),
    10_000,
  ).min(1),
})
export type PmmlGeneralRegression = z.output<typeof GeneralRegressionModel>

const Node = z.strictObject({
  id: Text.optional(),
  score: Text.optional(),
  recordCount: Finite.optional(),
  predicate: Predicate,
  children: z.array(z.int()).max(MAX_ITEMS).meta({ description: 'Places in nodes, after this one' }),
  defaultChild: z.int().optional().meta({ description: 'Place in nodes' }),
  distribution: list(
    z.strictObject({
      value: Text,
      recordCount: Finite,
      confidence: Finite.optional(),
      probability: Finite.optional(),
    }),
  ).optional(),
})
export type PmmlNode = z.output<typeof Node>

const places = z.array(z.int().min(-1).max(MAX_NODES)).max(MAX_NODES)
const texts = z.array(Text).max(MAX_NODES)

/**
 * The nodes of a large tree by column, in a fifth of the bytes: 30 per node. Each column has one entry per node, in the order of
 * `parents`, and is left out if no node has a value; -1 is none.
 */
const PackedNodes = z.strictObject({
  parents: places
    .min(1)
    .meta({ description: 'The place of the parent, which precedes its children; -1 for the root' }),
  fields: list(Name),
  texts: texts.meta({ description: 'Every value of a predicate and every score, once' }),
  field: places.meta({
    description: 'Of a SimplePredicate, in fields; -1: True; the length of fields: in predicates',
  }),
  operator: places.meta({ description: 'Of a SimplePredicate, in the order of the standard' }),
  value: places.meta({ description: 'Of a SimplePredicate, in texts' }),
  predicates: list(Predicate, MAX_NODES).meta({
    description: 'Other predicates, in the order of their nodes',
  }),
  ids: z
    .union([texts, z.int()])
    .optional()
    .meta({ description: 'A number: the id of the root; others follow in order' }),
  score: places.optional().meta({ description: 'In texts' }),
  recordCount: z.array(Finite.nullable()).max(MAX_NODES).optional(),
  defaultChild: places.optional().meta({ description: 'Place of a node' }),
  shapes: list(
    z.strictObject({
      values: list(Text),
      members: z.array(z.enum(['recordCount', 'confidence', 'probability'])).max(3),
    }),
  ).meta({ description: 'Score distributions without their numbers, once each' }),
  shape: places.optional().meta({ description: 'In shapes' }),
  shares: z
    .array(Finite)
    .max(10 * MAX_NODES)
    .meta({ description: 'The numbers of the score distributions, by node, by value, by member' }),
})
export type PackedNodes = z.output<typeof PackedNodes>

const TreeModel = z
  .strictObject({
    element: z.literal('TreeModel'),
    ...common,
    missingValueStrategy: z.enum(WORDS.missingValueStrategies),
    missingValuePenalty: z.number().min(0).max(1),
    noTrueChildStrategy: z.enum(WORDS.noTrueChildStrategies),
    nodes: z.union([list(Node, MAX_NODES).min(1), PackedNodes]).meta({ description: 'The root first' }),
  })
  .superRefine(({ nodes }, context) => {
    const report: Report = (message, ...path) => {
      context.addIssue({ code: 'custom', message, path: ['nodes', ...path] })
    }
    if (Array.isArray(nodes)) checkNodes(nodes, report)
    else checkPackedNodes(nodes, report)
  })

function checkNodes(nodes: readonly PmmlNode[], report: Report): undefined {
  const depth = new Map([[0, 0]])
  for (const [at, { children, defaultChild }] of nodes.entries()) {
    const below = (depth.get(at) ?? 0) + 1
    if (below > MAX_TREE_DEPTH && children.length > 0)
      return report(`nodes are nested more than ${MAX_TREE_DEPTH} deep`, at)
    for (const child of children) {
      if (child <= at || child >= nodes.length || depth.has(child))
        report('a child must come after its parent and have one parent', at, 'children')
      depth.set(child, below)
    }
    if (defaultChild !== undefined && !children.includes(defaultChild))
      report('the default child must be one of the children', at, 'defaultChild')
  }
}

type Report = (message: string, ...path: (string | number)[]) => undefined

/** Checks that every place refers to an existing entry. */
function checkPackedNodes(nodes: PackedNodes, report: Report): undefined {
  const count = nodes.parents.length
  for (const name of [
    'field',
    'operator',
    'value',
    'ids',
    'score',
    'recordCount',
    'defaultChild',
    'shape',
  ] as const) {
    const column = nodes[name]
    if (Array.isArray(column) && column.length !== count)
      return report(`must have ${count} entries, one for each node`, name)
  }
  const check = (name: string, column: readonly number[] | undefined, end: number) => {
    const wrong = column?.findIndex((place) => place >= end) ?? -1
    if (wrong >= 0) report('must refer to an existing entry', name, wrong)
  }
  check('field', nodes.field, nodes.fields.length + 1)
  check('operator', nodes.operator, WORDS.operators.length)
  check('value', nodes.value, nodes.texts.length)
  check('score', nodes.score, nodes.texts.length)
  check('shape', nodes.shape, nodes.shapes.length)
  const others = nodes.field.filter((place) => place === nodes.fields.length).length
  if (others !== nodes.predicates.length)
    report(`must have ${others} entries, one for each node that refers to it`, 'predicates')
  let shares = 0
  for (const place of nodes.shape ?? []) {
    const shape = nodes.shapes[place]
    if (shape) shares += shape.values.length * shape.members.length
  }
  if (shares !== nodes.shares.length)
    report(`must have ${shares} entries, one for each number of the score distributions`, 'shares')
  const depth = new Int32Array(count)
  for (const [at, parent] of nodes.parents.entries()) {
    if (at === 0 ? parent !== -1 : parent < 0 || parent >= at)
      return report('a child must come after its parent and have one parent', 'parents', at)
    if (at > 0) depth[at] = (depth[parent] ?? 0) + 1
    if ((depth[at] ?? 0) > MAX_TREE_DEPTH)
      return report(`nodes are nested more than ${MAX_TREE_DEPTH} deep`, 'parents', at)
    if (nodes.operator[at] === -1 && (nodes.field[at] ?? -1) >= 0 && nodes.field[at] !== nodes.fields.length)
      return report('a SimplePredicate must have an operator', 'operator', at)
  }
  for (const [at, child] of (nodes.defaultChild ?? []).entries())
    if (child >= 0 && nodes.parents[child] !== at)
      report('the default child must be one of the children', 'defaultChild', at)
}
export type PmmlTree = z.output<typeof TreeModel>

export interface PmmlMining {
  element: 'MiningModel'
  name?: Maybe<string>
  mathContext?: Maybe<Word<'mathContexts'>>
  function: Word<'functions'>
  fields: MiningField[]
  derived: DerivedField[]
  targets: Target[]
  outputs: OutputField[]
  method: Word<'methods'>
  missingPredictionTreatment: Word<'missingPredictions'>
  missingThreshold: number
  segments: { id?: Maybe<string>; weight: number; predicate: Predicate; model: PmmlElement }[]
}

/** A model element: the whole model, or that of a segment. */
export type PmmlElement = PmmlScorecard | PmmlRegression | PmmlGeneralRegression | PmmlTree | PmmlMining

const Element = bounded<PmmlElement>(
  (inner) =>
    z.discriminatedUnion('element', [
      Scorecard,
      RegressionModel,
      GeneralRegressionModel,
      TreeModel,
      z.strictObject({
        element: z.literal('MiningModel'),
        ...common,
        method: z.enum(WORDS.methods),
        missingPredictionTreatment: z.enum(WORDS.missingPredictions),
        missingThreshold: z.number().min(0).max(1),
        segments: list(
          z.strictObject({
            id: Text.optional(),
            weight: Finite,
            predicate: Predicate,
            model: inner,
          }),
        ).min(1),
      }),
    ]),
  MAX_MODEL_DEPTH,
  'models',
)

/** A PMML model; its inputs are the active and supplementary fields of its outermost MiningSchema. */
export const PmmlModel = z.strictObject({
  kind: z.literal('pmml'),
  version: z.string().regex(/^(3\.[0-2]|4\.[0-4])(\.\d)?$/),
  dictionary: list(DataField),
  functions: list(DefineFunction),
  derived: list(DerivedField).meta({ description: 'Of the TransformationDictionary' }),
  model: Element,
  score: Name.optional().meta({
    description: 'The output field that is the score; left out: the predicted number',
  }),
})

export type PmmlModel = z.output<typeof PmmlModel>

/** Lists the inputs that a PMML model reads and the reason codes that it can give. */
export function namesOfPmml({ model }: PmmlModel): ModelNames {
  return {
    inputs: model.fields.flatMap(({ name, usage }, at) =>
      usage === 'target' ? [] : [{ name, path: ['model', 'fields', at] }],
    ),
    reasonCodes: [...reasonCodesOf(model, ['model'])],
  }
}

function* reasonCodesOf(model: PmmlElement, path: ModelPath): Generator<{ code: string; path: ModelPath }> {
  if (model.element === 'MiningModel')
    for (const [at, segment] of model.segments.entries())
      yield* reasonCodesOf(segment.model, [...path, 'segments', at, 'model'])
  if (model.element !== 'Scorecard' || !model.useReasonCodes) return
  for (const [at, { reasonCode, attributes }] of model.characteristics.entries()) {
    if (reasonCode !== undefined) yield { code: reasonCode, path: [...path, 'characteristics', at] }
    for (const [n, attribute] of attributes.entries())
      if (attribute.reasonCode !== undefined)
        yield { code: attribute.reasonCode, path: [...path, 'characteristics', at, 'attributes', n] }
  }
}
