import type { DataField, DataType, DefineFunction } from '../../../../db/scorecards/definition/pmml.ts'
import type { Value } from './values.ts'

/** The scope of an element: its own fields, then those of the enclosing element. */
export interface Fields {
  readonly enclosing: Fields | undefined
  readonly values: Map<string, Value>
  /** Derived fields, computed at each access. */
  readonly derived: Map<string, { readonly dataType: DataType; compute(): Value }>
  /** Names of fields with an invalid value that was left unchanged. */
  readonly invalid: Set<string>
  readonly dictionary: ReadonlyMap<string, DataField>
  readonly functions: ReadonlyMap<string, DefineFunction>
}

/** Opens the scope of an inner element. */
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

/** Whether a field has a value that is invalid according to its DataField. */
export function isInvalid(fields: Fields, name: string): boolean {
  for (let at: Fields | undefined = fields; at; at = at.enclosing) {
    if (at.invalid.has(name)) return true
    if (at.values.has(name)) return false
  }
  return false
}

/** Returns the data type of the nearest field of that name; undefined if it has none. */
export function findType(fields: Fields, name: string): DataType | undefined {
  for (let at: Fields | undefined = fields; at; at = at.enclosing) {
    const derived = at.derived.get(name)
    if (derived) return derived.dataType
  }
  return fields.dictionary.get(name)?.dataType
}
