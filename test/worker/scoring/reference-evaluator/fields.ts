import type { DataField, DataType, DefineFunction } from '../../../../db/scorecards/definition/pmml.ts'
import type { Value } from './values.ts'

/** What names mean at one context of a file: its own fields, then those of the element enclosing it. */
export interface Fields {
  readonly enclosing: Fields | undefined
  readonly values: Map<string, Value>
  /** Derived fields, computed each time that one is asked for. */
  readonly derived: Map<string, { readonly dataType: DataType; compute(): Value }>
  /** Names whose value was invalid and was left as it is. */
  readonly invalid: Set<string>
  readonly dictionary: ReadonlyMap<string, DataField>
  readonly functions: ReadonlyMap<string, DefineFunction>
}

/** Fields of an element within another: those enclosing it, until it has its own. */
export const within = (enclosing: Fields): Fields => ({
  ...enclosing,
  enclosing: enclosing,
  values: new Map(),
  derived: new Map(),
  invalid: new Set(),
})

/** Returns the value of the nearest field of that name. */
export function findValue(fields: Fields, name: string): Value {
  for (let at: Fields | undefined = fields; at; at = at.enclosing) {
    if (at.values.has(name)) return at.values.get(name)
    const derived = at.derived.get(name)
    if (derived) return derived.compute()
  }
  throw new Error(`no field ${name}`)
}

/** Whether a field holds a value that its DataField calls invalid. */
export function isInvalid(fields: Fields, name: string): boolean {
  for (let at: Fields | undefined = fields; at; at = at.enclosing) {
    if (at.invalid.has(name)) return true
    if (at.values.has(name)) return false
  }
  return false
}

/** The data type of the nearest field of that name; undefined for those that have none. */
export function findType(fields: Fields, name: string): DataType | undefined {
  for (let at: Fields | undefined = fields; at; at = at.enclosing) {
    const derived = at.derived.get(name)
    if (derived) return derived.dataType
  }
  return fields.dictionary.get(name)?.dataType
}
