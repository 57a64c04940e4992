import type { DataField, PmmlMining, PmmlScorecard } from '../../../../db/scorecards/definition/pmml.ts'
import type { XmlElement } from './read-xml.ts'

/** State while a file is read. */
export interface ReadContext {
  /** Names that expressions and predicates refer to. */
  readonly references: Set<string>
  /** Names of the functions that the file defines. */
  readonly functions: Set<string>
  /** Fields of the data dictionary by name. */
  readonly dictionary: Map<string, DataField>
  /** Segments that were converted when their elements ended; the elements are released. */
  readonly segments: Map<XmlElement, PmmlMining['segments'][number]>
  /** Whether nodes are stored by column. */
  readonly isBig: boolean
  /** Sentences for the analyst. */
  readonly notes: string[]
}

export function refer(reading: ReadContext, name: string): string {
  reading.references.add(name)
  return name
}

/** Members of every model. */
export type Common = Pick<
  PmmlScorecard,
  'name' | 'mathContext' | 'function' | 'fields' | 'derived' | 'targets' | 'outputs'
>
