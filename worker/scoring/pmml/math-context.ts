import type { PmmlElement } from '../../../db/scorecards/definition/pmml.ts'

/** Rounds each step of a model's arithmetic. */
export type Round = (value: number) => number

const exact: Round = (value) => value

/** Rounds to 32-bit floats with `x-mathContext="float"`, the arithmetic of XGBoost and H2O. */
export const roundingOf = ({ mathContext }: Pick<PmmlElement, 'mathContext'>): Round =>
  mathContext === 'float' ? Math.fround : exact

export const isExact = (round: Round): boolean => round === exact
