import type { DataField, PmmlMining, PmmlScorecard } from '../../../../db/scorecards/definition/pmml.ts'
import type { XmlElement } from './read-xml.ts'

/** What is gathered while a file is read. */
export interface ReadContext {
  /** Names that expressions and predicates refer to. */
  readonly references: Set<string>
  /** Names of the functions that the file defines. */
  readonly functions: Set<string>
  /** Of the data dictionary, by name. */
  readonly dictionary: Map<string, DataField>
  /** Segments that were read when their elements ended, of which nothing else is left. */
  readonly segments: Map<XmlElement, PmmlMining['segments'][number]>
  /** Whether nodes are stored by column. */
  readonly isBig: boolean
  /** What a person should know, a sentence each. */
  readonly notes: string[]
}

export function refer(reading: ReadContext, name: string): string {
  reading.references.add(name)
  return name
}

/** What every model element has. */
export type Common = Pick<
  PmmlScorecard,
  'name' | 'mathContext' | 'function' | 'fields' | 'derived' | 'targets' | 'outputs'
>
