import { type Expression, type Interval, WORDS } from '../../../../db/scorecards/definition/pmml.ts'
import { isBuiltIn } from '../../../../worker/scoring/pmml/functions.ts'
import { PmmlImportError } from './pmml-import-error.ts'
import { type ReadContext, refer } from './read-context.ts'
import { type ElementReader, readElement } from './read-element.ts'
import { readTable } from './read-table-element.ts'
import type { XmlElement } from './read-xml.ts'

type Read = (from: ElementReader, reading: ReadContext) => Expression

const READERS: Record<Expression['element'], Read> = {
  Constant: (from) => {
    const dataType = from.choice('dataType', WORDS.dataTypes)
    if (from.flag('missing', false)) return { element: 'Constant' }
    return { element: 'Constant', value: from.element.text, dataType }
  },
  FieldRef: (from, reading) => ({
    element: 'FieldRef',
    field: refer(reading, from.required('field')),
    mapMissingTo: from.text('mapMissingTo'),
  }),
  Apply: (from, reading) => {
    const name = from.required('function')
    if (!isBuiltIn(name) && !reading.functions.has(name))
      from.fail(`the function ${JSON.stringify(name)} is not supported`)
    return {
      element: 'Apply',
      function: name,
      arguments: from.children(...EXPRESSIONS).map((element) => readExpression(element, reading)),
      mapMissingTo: from.text('mapMissingTo'),
      defaultValue: from.text('defaultValue'),
      invalid: from.choice('invalidValueTreatment', WORDS.invalidResults, 'returnInvalid'),
    }
  },
  NormContinuous: (from, reading) => ({
    element: 'NormContinuous',
    field: refer(reading, from.required('field')),
    outliers: from.choice('outliers', WORDS.outliers, 'asIs'),
    mapMissingTo: from.number('mapMissingTo'),
    norms: from
      .children('LinearNorm')
      .map((norm) =>
        readElement(norm, (of) => ({ orig: of.requiredNumber('orig'), norm: of.requiredNumber('norm') })),
      ),
  }),
  NormDiscrete: (from, reading) => {
    from.choice('method', ['indicator'])
    return {
      element: 'NormDiscrete',
      field: refer(reading, from.required('field')),
      value: from.required('value'),
      mapMissingTo: from.number('mapMissingTo'),
    }
  },
  Discretize: (from, reading) => ({
    element: 'Discretize',
    field: refer(reading, from.required('field')),
    dataType: from.choice('dataType', WORDS.dataTypes),
    mapMissingTo: from.text('mapMissingTo'),
    defaultValue: from.text('defaultValue'),
    bins: from.children('DiscretizeBin').map((bin) =>
      readElement(bin, (of) => ({
        value: of.required('binValue'),
        interval: readInterval(of.requiredChild('Interval')),
      })),
    ),
  }),
  MapValues: (from, reading) => {
    const pairs = from
      .children('FieldColumnPair')
      .map((pair) =>
        readElement(pair, (of) => ({ field: of.required('field'), column: of.required('column') })),
      )
    const columns = [...pairs.map(({ column }) => column), from.required('outputColumn')]
    return {
      element: 'MapValues',
      fields: pairs.map(({ field }) => refer(reading, field)),
      dataType: from.choice('dataType', WORDS.dataTypes),
      mapMissingTo: from.text('mapMissingTo'),
      defaultValue: from.text('defaultValue'),
      rows: readTable(from.requiredChild('InlineTable')).map(({ cells, element }) =>
        columns.map((column) => {
          const cell = cells.get(localName(column))
          if (cell === undefined) throw new PmmlImportError(`<${column}> is missing`, element)
          return cell
        }),
      ),
    }
  },
}

/** Cells are found by their element name, with or without prefix. */
const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** Supported expressions. */
const EXPRESSIONS = Object.keys(READERS)

/** Other expressions of the standard. */
const OTHERS = ['Aggregate', 'TextIndex', 'Lag']

function readExpression(element: XmlElement, reading: ReadContext): Expression {
  const read = Object.hasOwn(READERS, element.name)
    ? READERS[element.name as Expression['element']]
    : undefined
  if (!read) throw new PmmlImportError('this expression is not supported', element)
  return readElement(element, (from) => read(from, reading))
}

/** Reads the only expression in an element; undefined if there is none. */
export function readInnerExpression(from: ElementReader, reading: ReadContext): Expression | undefined {
  const [first, second] = from.children(...EXPRESSIONS, ...OTHERS)
  if (second) throw new PmmlImportError('only one expression is allowed', second)
  return first && readExpression(first, reading)
}

export function readInterval(element: XmlElement): Interval {
  return readElement(element, (from) => ({
    closure: from.choice('closure', WORDS.closures) ?? from.fail('the attribute closure is missing'),
    left: from.bound('leftMargin', '-INF'),
    right: from.bound('rightMargin', 'INF'),
  }))
}
