import type {
  DerivedField,
  MiningField,
  OutputField,
  PmmlElement,
  Target,
} from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'
import type { RandomField } from './random-fields.ts'

/** Context of a random model element. */
export interface ModelContext {
  readonly draw: Draw
  /** Fields that it can refer to, including those that it adds. */
  readonly known: RandomField[]
  readonly categories: readonly string[]
  readonly isOrdinal: boolean
  /** Whether factors can have contrast matrices. */
  readonly contrasts: boolean
  /** Maximum levels of nested models. */
  readonly depth: number
  /** Returns a unique field name. */
  name(of: string): string
}

/** Members of all kinds of model elements. */
export interface CommonParts {
  readonly function: PmmlElement['function']
  readonly fields: MiningField[]
  readonly derived: DerivedField[]
  readonly targets: Target[]
  readonly outputs: OutputField[]
}
