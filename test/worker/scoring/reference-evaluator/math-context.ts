import type { PmmlElement } from '../../../../db/scorecards/definition/pmml.ts'

/** Rounds each step of a model's arithmetic: to 32 bits with x-mathContext="float". */
export const roundBy =
  ({ mathContext }: Pick<PmmlElement, 'mathContext'>) =>
  (value: number): number =>
    mathContext === 'float' ? Math.fround(value) : value
