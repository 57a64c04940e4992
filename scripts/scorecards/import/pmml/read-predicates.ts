import { type Predicate, WORDS } from '../../../../db/scorecards/definition/pmml.ts'
import { type Asked, ask } from './ask-element.ts'
import { PmmlRefusal } from './pmml-refusal.ts'
import { readArray } from './read-array.ts'
import type { XmlElement } from './read-xml.ts'
import { type Reading, refer } from './reading.ts'

const READERS: Record<Predicate['element'], (from: Asked, reading: Reading) => Predicate> = {
  True: () => ({ element: 'True' }),
  False: () => ({ element: 'False' }),
  SimplePredicate: (from, reading) => {
    const operator =
      from.choice('operator', WORDS.operators) ?? from.refuse('the attribute operator is missing')
    const value = from.text('value')
    if (!/issing$/.test(operator) && value === undefined) from.refuse('the attribute value is missing')
    return { element: 'SimplePredicate', field: refer(reading, from.required('field')), operator, value }
  },
  SimpleSetPredicate: (from, reading) => ({
    element: 'SimpleSetPredicate',
    field: refer(reading, from.required('field')),
    operator:
      from.choice('booleanOperator', WORDS.setOperators) ??
      from.refuse('the attribute booleanOperator is missing'),
    values: readArray(from.requiredChild('Array')),
  }),
  CompoundPredicate: (from, reading) => ({
    element: 'CompoundPredicate',
    operator:
      from.choice('booleanOperator', WORDS.compounds) ??
      from.refuse('the attribute booleanOperator is missing'),
    predicates: from.children(...PREDICATES).map((element) => readPredicate(element, reading)),
  }),
}

const PREDICATES = Object.keys(READERS)

function readPredicate(element: XmlElement, reading: Reading): Predicate {
  return ask(element, (from) => READERS[element.name as Predicate['element']](from, reading))
}

/** The one predicate within an element. */
export function readInnerPredicate(from: Asked, reading: Reading): Predicate {
  const [first, second] = from.children(...PREDICATES)
  if (second) throw new PmmlRefusal('there is a predicate already', second)
  return first ? readPredicate(first, reading) : from.refuse('there is no predicate within')
}
