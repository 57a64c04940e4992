import { type Predicate, WORDS } from '../../../../db/scorecards/definition/pmml.ts'
import { PmmlImportError } from './pmml-import-error.ts'
import { readArray } from './read-array.ts'
import { type ReadContext, refer } from './read-context.ts'
import { type ElementReader, readElement } from './read-element.ts'
import type { XmlElement } from './read-xml.ts'

const READERS: Record<Predicate['element'], (from: ElementReader, reading: ReadContext) => Predicate> = {
  True: () => ({ element: 'True' }),
  False: () => ({ element: 'False' }),
  SimplePredicate: (from, reading) => {
    const operator =
      from.choice('operator', WORDS.operators) ?? from.fail('the attribute operator is missing')
    const value = from.text('value')
    if (!/issing$/.test(operator) && value === undefined) from.fail('the attribute value is missing')
    return { element: 'SimplePredicate', field: refer(reading, from.required('field')), operator, value }
  },
  SimpleSetPredicate: (from, reading) => ({
    element: 'SimpleSetPredicate',
    field: refer(reading, from.required('field')),
    operator:
      from.choice('booleanOperator', WORDS.setOperators) ??
      from.fail('the attribute booleanOperator is missing'),
    values: readArray(from.requiredChild('Array')),
  }),
  CompoundPredicate: (from, reading) => ({
    element: 'CompoundPredicate',
    operator:
      from.choice('booleanOperator', WORDS.compounds) ??
      from.fail('the attribute booleanOperator is missing'),
    predicates: from.children(...PREDICATES).map((element) => readPredicate(element, reading)),
  }),
}

const PREDICATES = Object.keys(READERS)

function readPredicate(element: XmlElement, reading: ReadContext): Predicate {
  return readElement(element, (from) => READERS[element.name as Predicate['element']](from, reading))
}

/** Reads the only predicate in an element. */
export function readInnerPredicate(from: ElementReader, reading: ReadContext): Predicate {
  const [first, second] = from.children(...PREDICATES)
  if (second) throw new PmmlImportError('only one predicate is allowed', second)
  return first ? readPredicate(first, reading) : from.fail('the predicate is missing')
}
