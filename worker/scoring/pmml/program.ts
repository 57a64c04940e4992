import type { DataType } from '../../../db/scorecards/definition/pmml.ts'
import { PmmlFault } from './faults.ts'
import type { Value } from './values.ts'

/** Not computed yet, which is not the same as missing. */
export const UNSET: unique symbol = Symbol('unset')

/** The values of one evaluation, by slot. */
export type Frame = (Value | typeof UNSET)[]

/** An expression made ready. */
export type Evaluate = (frame: Frame) => Value

/** A field, a derived field, a parameter or an output, as expressions and predicates find it. */
export interface Field {
  readonly read: Evaluate
  /** Where it lies when it is set before all else: reading it is reading the frame. */
  readonly slot?: number
  /** Not known of a parameter that does not say. */
  readonly dataType: DataType | undefined
  /** Whether its value is one that the data dictionary calls invalid. */
  readonly isInvalid?: (frame: Frame) => boolean
}

const MAX_DEPTH = 300
/** Functions of functions of functions grow exponentially when they are written out; honest models stay far below. */
const MAX_EXPRESSIONS = 500_000

/** What is counted while a model is compiled. */
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
      throw new PmmlFault(
        `the model has more than ${MAX_EXPRESSIONS} expressions when functions are written out`,
      )
    if (++this.#depth > MAX_DEPTH)
      throw new PmmlFault(`expressions refer to one another more than ${MAX_DEPTH} deep`)
    const result = step()
    this.#depth--
    return result
  }

  /** A frame with nothing in it yet. Slots are counted by then. */
  open(): Frame {
    if (this.#template.length !== this.#slots) this.#template = new Array(this.#slots).fill(UNSET)
    return this.#template.slice()
  }

  /** A field that is computed when it is first read. */
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

/** The names that expressions can use at a place of the model. */
export class Scope {
  readonly #fields = new Map<string, Field | (() => Field)>()
  readonly #parent: Scope | undefined

  constructor(parent?: Scope) {
    this.#parent = parent
  }

  has(name: string): boolean {
    return this.#fields.has(name)
  }

  /** Makes a name known; what it stands for is made when the name is first used. */
  declare(name: string, make: () => Field): void {
    this.#fields.set(name, () => {
      this.#fields.set(name, () => {
        throw new PmmlFault(`${name} is derived from itself`, name)
      })
      const field = make()
      this.#fields.set(name, field)
      return field
    })
  }

  /** @throws PmmlFault where there is no such name. */
  find(name: string): Field {
    const found = this.#fields.get(name)
    if (found === undefined) {
      if (this.#parent) return this.#parent.find(name)
      throw new PmmlFault(`there is no field ${JSON.stringify(name)} that can be used here`, name)
    }
    return typeof found === 'function' ? found() : found
  }
}
