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
import { PmmlFault } from '../../../../worker/scoring/pmml/faults.ts'
import { PmmlImportError } from './pmml-import-error.ts'
import type { ReadContext } from './read-context.ts'
import { readDataDictionary, readTransformationDictionary } from './read-dictionary.ts'
import { type ElementReader, readElement } from './read-element.ts'
import { isModel, MODELS, readModel, readSegment } from './read-models.ts'
import { LIMITS, readXml, type XmlElement } from './read-xml.ts'
import { type Verification, verifyModel } from './verify-model.ts'

/** What a PMML file was understood to say. */
interface ImportedPmml {
  /** As the file calls the model; undefined where it does not. */
  readonly name: string | undefined
  /** The program that wrote the file, as its header says. */
  readonly tool: string | undefined
  readonly model: PmmlModel
  /** Those that the model reads. It judges values itself, so that they come to it as they are. */
  readonly inputs: readonly z.input<typeof Input>[]
  /** Every reason code that the model can give. */
  readonly reasonCodes: readonly string[]
  /** Every category that the model can predict, where it classifies; one of them is bad. */
  readonly categories: readonly string[]
  /** Outputs that are numbers, any of which can be the score. */
  readonly numericOutputs: readonly string[]
  /** undefined: the file has no ModelVerification. */
  readonly verification: Verification | undefined
  /** For a person, a sentence each. */
  readonly understood: readonly string[]
}

export interface PmmlOptions {
  /** The output field that is the score; left out: what the model predicts. */
  readonly score?: string | undefined
}

/**
 * Reads a PMML file, version 3.0 to 4.4.
 *
 * Afterwards the model compiles, and its ModelVerification, if any, has been run: the caller decides what a mismatch means.
 *
 * @throws PmmlImportError for what is no PMML, is not supported, or does not hold together, with its place.
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
      ...unread.map((name) => `${name} is in the MiningSchema, but nothing reads it: it is no input.`),
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

/** Characters of a file whose trees are stored by column: it has some 10,000 nodes. */
const BIG = 1_000_000

/**
 * Reads the elements of a file. Each Segment becomes part of the model as soon as it ends, so that no more than one of them
 * is in memory as elements.
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
  if (root.name !== 'PMML') throw new PmmlImportError('this is no PMML', root)
  requireNamespace(root)
  return { root, extensions }
}

function keepDictionary(element: XmlElement, { dictionary }: ReadContext): void {
  for (const field of readDataDictionary(element)) dictionary.set(field.name, field)
}

/** Everything but extensions and the cells of tables is of the standard's namespace. */
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
    from.fail(`version ${version} is not supported: 3.0 to 4.4 are`)
  const header = from.child('Header')
  const dictionary = readDataDictionary(from.requiredChild('DataDictionary'))
  const transformations = from.child('TransformationDictionary')
  const { functions, derived } = transformations
    ? readTransformationDictionary(transformations, reading)
    : { functions: [], derived: [] }
  const other = from.element.children.find(({ name }) => isModel(name) && !MODELS.includes(name))
  if (other) throw new PmmlImportError('this kind of model is not supported', other)
  const [model, second] = from.children(...MODELS)
  if (second)
    throw new PmmlImportError('a file with several models is not supported: which one scores?', second)
  if (!model) return from.fail('there is no model within')
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

/** Leaves out fields of the outermost MiningSchema that nothing refers to. @returns their names. */
function dropUnread({ model }: Draft, { references }: ReadContext): string[] {
  const isRead = ({ name, usage }: MiningField) => usage === 'target' || references.has(name)
  const unread = model.fields.filter((field) => !isRead(field)).map(({ name }) => name)
  model.fields = model.fields.filter(isRead)
  return unread
}

/** The model as it is stored: without what is undefined, and judged by the schema that judges it from then on. */
function settle(draft: unknown): PmmlModel {
  const result = PmmlModel.safeParse(JSON.parse(JSON.stringify(draft)))
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new PmmlImportError(`the model is not taken: ${issue?.path.join('.')}: ${issue?.message}`)
}

function compile(model: PmmlModel, root: XmlElement, xml: string): CompiledPmml {
  try {
    return compilePmml(model)
  } catch (error) {
    if (error instanceof PmmlFault)
      // segments are read again only for the place of a fault
      throw new PmmlImportError(error.message, findSubject(readXml(xml), error.subject) ?? root, {
        cause: error,
      })
    throw error
  }
}

/** Where fields are declared, not used. */
const DECLARATIONS: ReadonlySet<string> = new Set(['DataField', 'MiningField'])

/** The first element that has a text as an attribute or as its own: a name, a value, a pattern. */
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
    // a categorical number too: a feature arrives as a number, or as true, which is 1
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
  returnInvalid: 'no score where it is invalid',
  asIs: 'invalid values are taken as they are',
  asMissing: 'invalid values are taken for missing',
  asValue: 'invalid values are replaced',
}

function describeTreatment(field: MiningField): string {
  const missing =
    field.missing === 'returnInvalid'
      ? 'no score where it is missing'
      : field.missingValueReplacement === undefined
        ? 'it may be missing'
        : `missing is ${field.missingValueReplacement}`
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
  count === 0 ? [] : [`${count} Extension elements are passed over, as the standard allows.`]

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

/** Of the last model of a chain too, as it speaks for the whole. */
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
