import type { Scaling } from '../../db/scorecards/definition/definition.ts'

/** The line between scores and log-odds of bad:good. */
interface Scale {
  scoreOf(logOdds: number): number
  logOddsOf(score: number): number
}

/** Makes a scaling ready. @see Siddiqi, Credit Risk Scorecards (2006), chapter 6, scaling */
export function compileScaling({ pdo, baseScore, baseOdds, odds, direction }: Scaling): Scale {
  const baseLogOdds = odds === 'bad:good' ? Math.log(baseOdds) : -Math.log(baseOdds)
  // points that ln(bad:good) + 1 adds
  const factor = (direction === 'higherIsBetter' ? -pdo : pdo) / Math.LN2
  return {
    scoreOf: (logOdds) => baseScore + factor * (logOdds - baseLogOdds),
    logOddsOf: (score) => baseLogOdds + (score - baseScore) / factor,
  }
}

/** Of bad, from the log-odds of bad:good. */
export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** ln(p / (1 - p)); infinite for 0 and 1. */
export const logOddsOf = (probability: number): number => Math.log(probability / (1 - probability))

/**
 * How far from 0 log-odds go that a score is made of: 53 ln 2 = 36.7, those of the double nearest to 1. A forest may give
 * exactly 0 or 1, whose log-odds are infinite and no score.
 */
const MOST_LOG_ODDS = 53 * Math.LN2

/** As `logOddsOf`, held between -36.7 and 36.7; sums of shares may be over 1 by their last digit. */
export const boundedLogOddsOf = (probability: number): number =>
  Math.min(MOST_LOG_ODDS, Math.max(-MOST_LOG_ODDS, logOddsOf(Math.min(1, probability))))
