import type { Scaling } from '../../db/scorecards/definition/definition.ts'

/** Linear conversion between scores and log-odds of bad:good. */
interface Scale {
  scoreOf(logOdds: number): number
  logOddsOf(score: number): number
}

/** Compiles a scaling. @see Siddiqi, Credit Risk Scorecards (2006), chapter 6, scaling */
export function compileScaling({ pdo, baseScore, baseOdds, odds, direction }: Scaling): Scale {
  const baseLogOdds = odds === 'bad:good' ? Math.log(baseOdds) : -Math.log(baseOdds)
  // points per unit of ln(bad:good)
  const factor = (direction === 'higherIsBetter' ? -pdo : pdo) / Math.LN2
  return {
    scoreOf: (logOdds) => baseScore + factor * (logOdds - baseLogOdds),
    logOddsOf: (score) => baseLogOdds + (score - baseScore) / factor,
  }
}

/** Returns the probability of bad for log-odds of bad:good. */
export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** ln(p / (1 - p)); infinite for 0 and 1. */
export const logOddsOf = (probability: number): number => Math.log(probability / (1 - probability))

/**
 * Limit of the log-odds that scores are computed from: 53 ln 2 = 36.7, the log-odds of the double nearest to 1. A forest
 * may return exactly 0 or 1, whose log-odds are infinite.
 */
const MAX_LOG_ODDS = 53 * Math.LN2

/** `logOddsOf`, limited to ±36.7. Sums of probabilities may exceed 1 by rounding. */
export const boundedLogOddsOf = (probability: number): number =>
  Math.min(MAX_LOG_ODDS, Math.max(-MAX_LOG_ODDS, logOddsOf(Math.min(1, probability))))
