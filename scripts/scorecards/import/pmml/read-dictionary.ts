import {
  type DataField,
  type DefineFunction,
  type DerivedField,
  WORDS,
} from '../../../../db/scorecards/definition/pmml.ts'
import { PmmlImportError } from './pmml-import-error.ts'
import type { ReadContext } from './read-context.ts'
import { type ElementReader, readElement } from './read-element.ts'
import { readInnerExpression, readInterval } from './read-expressions.ts'
import type { XmlElement } from './read-xml.ts'

export function readDataDictionary(element: XmlElement): DataField[] {
  return readElement(element, (from) => {
    from.ignore('numberOfFields')
    return from.children('DataField').map((field) => readElement(field, readDataField))
  })
}

function readDataField(from: ElementReader): DataField {
  from.ignore('displayName')
  if (from.flag('isCyclic', false)) from.fail('a cyclic field is not supported')
  const values = from.children('Value').map((value) =>
    readElement(value, (of) => {
      return {
        value: of.required('value'),
        display: of.text('displayValue'),
        property: of.choice('property', ['valid', 'invalid', 'missing'], 'valid'),
      }
    }),
  )
  const of = (wanted: string) => {
    const found = values.filter(({ property }) => property === wanted).map(({ value }) => value)
    return found.length > 0 ? found : undefined
  }
  const displays = values.flatMap(({ value, display }) => (display === undefined ? [] : { value, display }))
  const intervals = from.children('Interval').map(readInterval)
  return {
    name: from.required('name'),
    optype: from.choice('optype', WORDS.opTypes) ?? from.fail('the attribute optype is missing'),
    dataType: requireDataType(from),
    values: of('valid'),
    invalid: of('invalid'),
    missing: of('missing'),
    displays: displays.length > 0 ? displays : undefined,
    intervals: intervals.length > 0 ? intervals : undefined,
  }
}

const requireDataType = (from: ElementReader) =>
  from.choice('dataType', WORDS.dataTypes) ?? from.fail('the attribute dataType is missing')

/** Reads the derived fields of TransformationDictionary and LocalTransformations. */
export function readDerivedFields(from: ElementReader, reading: ReadContext): DerivedField[] {
  return from.children('DerivedField').map((element) =>
    readElement(element, (field) => {
      field.ignore('displayName')
      field.skip('Value')
      return {
        name: field.required('name'),
        optype: field.choice('optype', WORDS.opTypes) ?? field.fail('the attribute optype is missing'),
        dataType: requireDataType(field),
        expression: readInnerExpression(field, reading) ?? field.fail('the expression is missing'),
      }
    }),
  )
}

/** Collects all function names before reading the bodies, because a function may use a later one. */
export function readTransformationDictionary(
  element: XmlElement,
  reading: ReadContext,
): { functions: DefineFunction[]; derived: DerivedField[] } {
  return readElement(element, (from) => {
    const functions = from.children('DefineFunction')
    for (const { attributes } of functions) reading.functions.add(attributes.get('name') ?? '')
    return {
      functions: functions.map((defined) =>
        readElement(correctSas(defined, reading), (of) => readFunction(of, reading)),
      ),
      derived: readDerivedFields(from, reading),
    }
  })
}

function readFunction(from: ElementReader, reading: ReadContext): DefineFunction {
  from.choice('optype', WORDS.opTypes)
  const parameters = from.children('ParameterField').map((parameter) =>
    readElement(parameter, (of) => {
      of.ignore('displayName')
      of.choice('optype', WORDS.opTypes)
      return { name: of.required('name'), dataType: of.choice('dataType', WORDS.dataTypes) }
    }),
  )
  const names = new Set(parameters.map(({ name }) => name))
  const constant = findConstant(from.element, names)
  if (constant)
    throw new PmmlImportError(
      `the constant ${JSON.stringify(constant.text)} has the name of a parameter: use a FieldRef`,
      constant,
    )
  const own: ReadContext = { ...reading, references: new Set() }
  const expression = readInnerExpression(from, own) ?? from.fail('the expression is missing')
  for (const name of own.references) if (!names.has(name)) reading.references.add(name)
  return {
    name: from.required('name'),
    dataType: from.choice('dataType', WORDS.dataTypes),
    parameters,
    expression,
  }
}

const SAS_NOTE = 'SAS writes function parameters as constants; they are read as parameters.'

/** Corrects a function of SAS Enterprise Miner: `<Constant>FMTWIDTH</Constant>` is the parameter FMTWIDTH. */
function correctSas(element: XmlElement, { notes }: ReadContext): XmlElement {
  const parameters = element.children.filter(({ name }) => name === 'ParameterField')
  const names = new Set(parameters.map(({ attributes }) => attributes.get('name') ?? ''))
  if (!element.attributes.get('name')?.startsWith('SAS-') || !findConstant(element, names)) return element
  if (!notes.includes(SAS_NOTE)) notes.push(SAS_NOTE)
  return withParameters(element, names)
}

/** Replaces every constant that has the name of a parameter with a FieldRef. */
function withParameters(element: XmlElement, parameters: ReadonlySet<string>): XmlElement {
  const name = element.text.trim()
  if (element.name === 'Constant' && parameters.has(name))
    return { ...element, name: 'FieldRef', attributes: new Map([['field', name]]), text: '' }
  return { ...element, children: element.children.map((child) => withParameters(child, parameters)) }
}

/** Finds a constant that has the name of a parameter, which some tools write instead of a FieldRef. */
function findConstant(element: XmlElement, parameters: ReadonlySet<string>): XmlElement | undefined {
  if (element.name === 'Constant' && parameters.has(element.text.trim())) return element
  for (const child of element.children) {
    const found = findConstant(child, parameters)
    if (found) return found
  }
  return undefined
}
