import type { z } from 'zod'
import type { Input } from '../../../../db/scorecards/definition/inputs.ts'
import {
  type DataField,
  type Interval,
  type MiningField,
  type PmmlElement,
  PmmlModel,
} from '../../../../db/scorecards/definition/pmml.ts'
import { type CompiledPmml, compilePmml } from '../../../../worker/scoring/pmml/compile-pmml.ts'
import { PmmlError } from '../../../../worker/scoring/pmml/errors.ts'
import { PmmlImportError } from './pmml-import-error.ts'
import type { ReadContext } from './read-context.ts'
import { readDataDictionary, readTransformationDictionary } from './read-dictionary.ts'
import { type ElementReader, readElement } from './read-element.ts'
import { isModel, MODELS, readModel, readSegment } from './read-models.ts'
import { LIMITS, readXml, type XmlElement } from './read-xml.ts'
import { type Verification, verifyModel } from './verify-model.ts'

/** The result of importing a PMML file. */
interface ImportedPmml {
  /** The model name in the file, if any. */
  readonly name: string | undefined
  /** The application in the header that wrote the file. */
  readonly tool: string | undefined
  readonly model: PmmlModel
  /** Inputs of the model. They are passed unchanged, because the model treats invalid values itself. */
  readonly inputs: readonly z.input<typeof Input>[]
  /** All possible reason codes. */
  readonly reasonCodes: readonly string[]
  /** All categories that a classification model can predict; one of them is bad. */
  readonly categories: readonly string[]
  /** Numeric outputs, any of which can be the score. */
  readonly numericOutputs: readonly string[]
  /** undefined if the file has no ModelVerification. */
  readonly verification: Verification | undefined
  /** Sentences for the analyst. */
  readonly understood: readonly string[]
}

export interface PmmlOptions {
  /** The output field that is the score; by default the predicted value. */
  readonly score?: string | undefined
}

/**
 * Imports a PMML file, version 3.0 to 4.4.
 *
 * The resulting model compiles, and its ModelVerification, if any, has been run: the caller handles mismatches.
 *
 * @throws PmmlImportError for invalid, unsupported or inconsistent PMML, with its place.
 */
export function importPmml(xml: string, { score }: PmmlOptions = {}): ImportedPmml {
  const reading: ReadContext = {
    references: new Set(),
    functions: new Set(),
    dictionary: new Map(),
    segments: new Map(),
    isBig: xml.length > BIG,
    notes: [],
  }
  const read = readElements(xml, reading)
  const { root } = read
  const { definition, header, verification } = readElement(root, (from) => readRoot(from, reading))
  const unread = dropUnread(definition, reading)
  const model = settle({ ...definition, score })
  const compiled = compile(model, root, xml)
  const verified = verification && verifyModel(verification, model, compiled)
  const inputs = inputsOf(model)
  return {
    name: model.model.name,
    tool: header.tool,
    model,
    inputs: inputs.map(({ input }) => input),
    reasonCodes: [...new Set(reasonCodesOf(model.model))],
    categories: categoriesOf(compiled, model),
    numericOutputs: numericOutputs(model.model),
    verification: verified,
    understood: [
      `PMML ${model.version}${header.tool ? ` by ${header.tool}` : ''}: ${describeModel(model.model)}.`,
      ...inputs.map(({ sentence }) => sentence),
      ...unread.map((name) => `${name} is in the MiningSchema, but unused: it is not an input.`),
      ...reading.notes,
      ...describeExtensions(read.extensions + countExtensions(root)),
      ...(verified ? describeVerification(verified) : []),
    ],
  }
}

const describeVerification = ({ matched, rows, uncompared }: Verification): string[] => [
  `ModelVerification: ${matched} of ${rows.length} rows match.`,
  ...(uncompared > 0 ? [`ModelVerification: ${uncompared} rows have no result to compare.`] : []),
]

const DMG = /^(https?:\/\/www\.dmg\.org\/PMML-(3_[0-2]|4_[0-4]))?$/

/** Size in characters (about 10,000 nodes) from which trees are stored by column. */
const BIG = 1_000_000

/**
 * Reads the elements of a file. Each Segment is converted as soon as it ends, so that at most one is in memory as elements.
 */
function readElements(xml: string, reading: ReadContext): { root: XmlElement; extensions: number } {
  let extensions = 0
  const root = readXml(xml, LIMITS, (element) => {
    if (element.name === 'DefineFunction') reading.functions.add(element.attributes.get('name') ?? '')
    if (element.name === 'DataDictionary' && DMG.test(element.namespace)) keepDictionary(element, reading)
    if (element.name !== 'Segment' || !reading.isBig || !DMG.test(element.namespace)) return false
    requireNamespace(element)
    extensions += countExtensions(element)
    reading.segments.set(element, readSegment(element, reading))
    return true
  })
  if (root.name !== 'PMML') throw new PmmlImportError('this is not PMML', root)
  requireNamespace(root)
  return { root, extensions }
}

function keepDictionary(element: XmlElement, { dictionary }: ReadContext): void {
  for (const field of readDataDictionary(element)) dictionary.set(field.name, field)
}

/** Checks that all elements except extensions and cells of tables are in the standard's namespace. */
function requireNamespace(element: XmlElement): void {
  if (!DMG.test(element.namespace))
    throw new PmmlImportError(
      `the namespace ${JSON.stringify(element.namespace)} is not that of PMML 3.0 to 4.4`,
      element,
    )
  for (const child of element.children)
    if (child.name !== 'Extension' && element.name !== 'row') requireNamespace(child)
}

type Draft = Omit<PmmlModel, 'score'>

function readRoot(
  from: ElementReader,
  reading: ReadContext,
): { definition: Draft; header: { tool: string | undefined }; verification: XmlElement | undefined } {
  from.skip('MiningBuildTask')
  const version = from.required('version')
  if (!/^(3\.[0-2]|4\.[0-4])(\.\d)?$/.test(version))
    from.fail(`version ${version} is not supported; supported are 3.0 to 4.4`)
  const header = from.child('Header')
  const dictionary = readDataDictionary(from.requiredChild('DataDictionary'))
  const transformations = from.child('TransformationDictionary')
  const { functions, derived } = transformations
    ? readTransformationDictionary(transformations, reading)
    : { functions: [], derived: [] }
  const other = from.element.children.find(({ name }) => isModel(name) && !MODELS.includes(name))
  if (other) throw new PmmlImportError('this kind of model is not supported', other)
  const [model, second] = from.children(...MODELS)
  if (second) throw new PmmlImportError('a file with several models is not supported', second)
  if (!model) return from.fail('the model is missing')
  return {
    definition: { kind: 'pmml', version, dictionary, functions, derived, model: readModel(model, reading) },
    header: { tool: header && toolOf(header) },
    verification: model.children.find(({ name }) => name === 'ModelVerification'),
  }
}

function toolOf({ children }: XmlElement): string | undefined {
  const attributes = children.find(({ name }) => name === 'Application')?.attributes
  const words = [attributes?.get('name'), attributes?.get('version')].filter((word) => word)
  return words.length > 0 ? words.join(' ').slice(0, 200) : undefined
}

/** Removes fields of the outermost MiningSchema that are not used. @returns their names. */
function dropUnread({ model }: Draft, { references }: ReadContext): string[] {
  const isRead = ({ name, usage }: MiningField) => usage === 'target' || references.has(name)
  const unread = model.fields.filter((field) => !isRead(field)).map(({ name }) => name)
  model.fields = model.fields.filter(isRead)
  return unread
}

/** Returns the model as it is stored: without undefined members, and validated by the schema. */
function settle(draft: unknown): PmmlModel {
  const result = PmmlModel.safeParse(JSON.parse(JSON.stringify(draft)))
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new PmmlImportError(`the model is not valid: ${issue?.path.join('.')}: ${issue?.message}`)
}

function compile(model: PmmlModel, root: XmlElement, xml: string): CompiledPmml {
  try {
    return compilePmml(model)
  } catch (error) {
    if (error instanceof PmmlError)
      // segments are read again only for the place of an error
      throw new PmmlImportError(error.message, findSubject(readXml(xml), error.subject) ?? root, {
        cause: error,
      })
    throw error
  }
}

/** Elements that declare fields. */
const DECLARATIONS: ReadonlySet<string> = new Set(['DataField', 'MiningField'])

/** Finds the first element with this text as an attribute or content. */
function findSubject(element: XmlElement, subject: string | undefined): XmlElement | undefined {
  if (subject === undefined) return undefined
  if (
    !DECLARATIONS.has(element.name) &&
    (element.text === subject || [...element.attributes.values()].includes(subject))
  )
    return element
  for (const child of element.children) {
    const found = findSubject(child, subject)
    if (found) return found
  }
  return undefined
}

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'float', 'double'])

function inputsOf({ model, dictionary }: PmmlModel): { input: z.input<typeof Input>; sentence: string }[] {
  const data = new Map(dictionary.map((field) => [field.name, field]))
  return model.fields.flatMap((field) => {
    const of = data.get(field.name)
    if (field.usage === 'target' || !of) return []
    // also for a categorical number: a feature is a number, or true, which is 1
    const isNumber = NUMBERS.has(of.dataType)
    const type = of.dataType === 'boolean' ? 'boolean' : isNumber ? 'number' : 'category'
    return [
      {
        input: { name: field.name, type, invalid: 'asIs' } as const,
        sentence: `${field.name} is a ${type}${describeValid(of)}; ${describeTreatment(field)}.`,
      },
    ]
  })
}

const MOST_NAMED = 10

function describeValid({ values = [], intervals = [], missing = [] }: DataField): string {
  const named = values.slice(0, MOST_NAMED).map((value) => JSON.stringify(value))
  if (values.length > MOST_NAMED) named.push(`${values.length - MOST_NAMED} more`)
  const valid = [...intervals.map(describeInterval), ...named]
  const absent = missing.length > 0 ? `, where ${missing.join(', ')} is missing` : ''
  return (valid.length > 0 ? ` among ${valid.join(', ')}` : '') + absent
}

function describeInterval({ closure, left, right }: Interval): string {
  const open = closure.startsWith('open') || left === undefined ? '(' : '['
  const close = closure.endsWith('Open') || right === undefined ? ')' : ']'
  return `${open}${left ?? '-∞'}, ${right ?? '∞'}${close}`
}

const INVALID: Record<MiningField['invalid'], string> = {
  returnInvalid: 'no score if it is invalid',
  asIs: 'invalid values are used unchanged',
  asMissing: 'invalid values are missing',
  asValue: 'invalid values are replaced',
}

function describeTreatment(field: MiningField): string {
  const missing =
    field.missing === 'returnInvalid'
      ? 'no score if it is missing'
      : field.missingValueReplacement === undefined
        ? 'it may be missing'
        : `missing values are replaced by ${field.missingValueReplacement}`
  const outliers =
    field.outliers === 'asIs'
      ? ''
      : `, outside ${field.low ?? '-∞'} to ${field.high ?? '∞'} it is ${field.outliers === 'asMissingValues' ? 'missing' : 'the nearest of them'}`
  return `${missing}, ${INVALID[field.invalid]}${outliers}`
}

function describeModel(model: PmmlElement): string {
  const what = `${model.element}, ${model.function}`
  switch (model.element) {
    case 'Scorecard':
      return `${what}, ${model.characteristics.length} characteristics, initial score ${model.initialScore}`
    case 'RegressionModel':
      return `${what}, normalisation ${model.normalization}`
    case 'GeneralRegressionModel':
      return `${what}, ${model.modelType}${model.link ? `, link ${model.link}` : ''}`
    case 'TreeModel':
      return `${what}, ${Array.isArray(model.nodes) ? model.nodes.length : model.nodes.parents.length} nodes`
    case 'MiningModel':
      return `${what}, ${model.segments.length} segments by ${model.method}`
  }
}

function countExtensions({ name, children }: XmlElement): number {
  return name === 'Extension' ? 1 : children.reduce((sum, child) => sum + countExtensions(child), 0)
}

const describeExtensions = (count: number): string[] =>
  count === 0 ? [] : [`${count} Extension elements are ignored, as the standard allows.`]

function* reasonCodesOf(model: PmmlElement): Generator<string> {
  if (model.element === 'MiningModel')
    for (const segment of model.segments) yield* reasonCodesOf(segment.model)
  if (model.element !== 'Scorecard' || !model.useReasonCodes) return
  for (const { reasonCode, attributes } of model.characteristics)
    for (const attribute of attributes) {
      const code = attribute.reasonCode ?? reasonCode
      if (code !== undefined) yield code
    }
}

function categoriesOf({ categories }: CompiledPmml, { model }: PmmlModel): readonly string[] {
  return model.function === 'classification' ? categories : []
}

const NUMERIC_FEATURES: ReadonlySet<string> = new Set(['probability', 'confidence'])

/** Includes the outputs of the last model of a chain, which are those of the whole chain. */
function numericOutputs(model: PmmlElement): string[] {
  const own = model.outputs
    .filter(
      ({ dataType, feature, isFinalResult }) =>
        isFinalResult && (dataType === undefined ? NUMERIC_FEATURES.has(feature) : NUMBERS.has(dataType)),
    )
    .map(({ name }) => name)
  const last =
    model.element === 'MiningModel' && model.method === 'modelChain' ? model.segments.at(-1) : undefined
  return [...new Set([...own, ...(last ? numericOutputs(last.model) : [])])]
}
