import type {
  DerivedField,
  MiningField,
  OutputField,
  PmmlElement,
  Target,
} from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'
import type { RandomField } from './random-fields.ts'

/** Where a random model element stands. */
export interface ModelContext {
  readonly draw: Draw
  /** Fields that it can refer to; those that it adds are added. */
  readonly known: RandomField[]
  readonly categories: readonly string[]
  readonly isOrdinal: boolean
  /** Whether factors can have contrast matrices. */
  readonly contrasts: boolean
  /** Levels of models that may be within. */
  readonly depth: number
  /** A name that no other field has. */
  name(of: string): string
}

/** What all kinds of model elements have. */
export interface CommonParts {
  readonly function: PmmlElement['function']
  readonly fields: MiningField[]
  readonly derived: DerivedField[]
  readonly targets: Target[]
  readonly outputs: OutputField[]
}
