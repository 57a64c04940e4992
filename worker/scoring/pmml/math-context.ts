import type { PmmlElement } from '../../../db/scorecards/definition/pmml.ts'

/** What every step of a model's arithmetic is rounded to. */
export type Round = (value: number) => number

const exact: Round = (value) => value

/** 32-bit floats where the model says `x-mathContext="float"`, as XGBoost and H2O compute. */
export const roundingOf = ({ mathContext }: Pick<PmmlElement, 'mathContext'>): Round =>
  mathContext === 'float' ? Math.fround : exact

export const isExact = (round: Round): boolean => round === exact
