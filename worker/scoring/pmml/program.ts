import type { DataType } from '../../../db/scorecards/definition/pmml.ts'
import { PmmlError } from './errors.ts'
import type { Value } from './values.ts'

/** Not computed yet, which differs from missing. */
export const UNSET: unique symbol = Symbol('unset')

/** The values of one evaluation, by slot. */
export type Frame = (Value | typeof UNSET)[]

/** A compiled expression. */
export type Evaluate = (frame: Frame) => Value

/** A field, derived field, parameter or output, as resolved by expressions and predicates. */
export interface Field {
  readonly read: Evaluate
  /** Slot of a field that is set before evaluation, so that it can be read from the frame directly. */
  readonly slot?: number
  /** Undefined for a parameter without a data type. */
  readonly dataType: DataType | undefined
  /** Whether its value is invalid according to the data dictionary. */
  readonly isInvalid?: (frame: Frame) => boolean
}

const MAX_DEPTH = 300
/** Nested functions grow exponentially when inlined; real models stay far below. */
const MAX_EXPRESSIONS = 500_000

/** Allocates slots and enforces limits while a model is compiled. */
export class Program {
  #slots = 0
  #expressions = 0
  #depth = 0
  #template: Frame = []

  slot(): number {
    return this.#slots++
  }

  /** Runs one step of compilation inside another. */
  nested<T>(step: () => T): T {
    if (++this.#expressions > MAX_EXPRESSIONS)
      throw new PmmlError(`the model has more than ${MAX_EXPRESSIONS} expressions after inlining functions`)
    if (++this.#depth > MAX_DEPTH)
      throw new PmmlError(`expressions are nested more than ${MAX_DEPTH} levels deep`)
    const result = step()
    this.#depth--
    return result
  }

  /** Returns an empty frame. All slots must be allocated. */
  open(): Frame {
    if (this.#template.length !== this.#slots) this.#template = new Array(this.#slots).fill(UNSET)
    return this.#template.slice()
  }

  /** Creates a field that is computed when first read. */
  lazy(dataType: DataType | undefined, compute: Evaluate): Field {
    const slot = this.slot()
    const read: Evaluate = (frame) => {
      const known = frame[slot]
      if (known !== UNSET) return known
      const value = compute(frame)
      frame[slot] = value
      return value
    }
    return { read, dataType }
  }
}

/** The names that expressions can use in a model element. */
export class Scope {
  readonly #fields = new Map<string, Field | (() => Field)>()
  readonly #parent: Scope | undefined

  constructor(parent?: Scope) {
    this.#parent = parent
  }

  has(name: string): boolean {
    return this.#fields.has(name)
  }

  /** Declares a name; its field is created when first used. */
  declare(name: string, make: () => Field): void {
    this.#fields.set(name, () => {
      this.#fields.set(name, () => {
        throw new PmmlError(`${name} is derived from itself`, name)
      })
      const field = make()
      this.#fields.set(name, field)
      return field
    })
  }

  /** @throws PmmlError if the name is not declared. */
  find(name: string): Field {
    const found = this.#fields.get(name)
    if (found === undefined) {
      if (this.#parent) return this.#parent.find(name)
      throw new PmmlError(`unknown field ${JSON.stringify(name)}`, name)
    }
    return typeof found === 'function' ? found() : found
  }
}
