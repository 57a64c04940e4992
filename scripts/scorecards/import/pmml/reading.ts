import type { DataField, PmmlScorecard } from '../../../../db/scorecard/pmml.ts'

/** What is gathered while a file is read. */
export interface Reading {
  /** Names that expressions and predicates refer to. */
  readonly references: Set<string>
  /** Names of the functions that the file defines. */
  readonly functions: Set<string>
  /** Of the data dictionary, by name. */
  readonly dictionary: Map<string, DataField>
  /** What a person should know, a sentence each. */
  readonly notes: string[]
}

export function refer(reading: Reading, name: string): string {
  reading.references.add(name)
  return name
}

/** What every model element has. */
export type Common = Pick<
  PmmlScorecard,
  'name' | 'mathContext' | 'function' | 'fields' | 'derived' | 'targets' | 'outputs'
>
