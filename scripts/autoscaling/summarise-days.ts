import { percentileOf } from '../benchmark/samples.ts'
import type { RuleName } from './rules.ts'
import type { RuleDay } from './run-simulation.ts'
import { OBJECTIVE, SCALE, WORKERS } from './simulation-plan.ts'

/** What a rule achieved, with times as on a real day. */
export interface RuleSummary {
  readonly rule: RuleName
  readonly datasets: number
  /** Share of datasets settled within the objective's time, 0 to 1. */
  readonly inTime: number
  readonly p50Seconds: number
  readonly p99Seconds: number
  readonly maxSeconds: number
  readonly workerHours: number
  readonly workersStarted: number
  /** Longest time to wait that the autoscaler saw. */
  readonly maxWaitSeconds: number
}

export function summariseDay(day: RuleDay): RuleSummary {
  const { settledSeconds, unsettled } = day
  const seconds = settledSeconds.map((one) => one * SCALE)
  const datasets = seconds.length + unsettled
  return {
    rule: day.name,
    datasets,
    inTime: seconds.filter((one) => one <= OBJECTIVE.seconds).length / datasets,
    p50Seconds: percentileOf(seconds, 0.5),
    p99Seconds: percentileOf(seconds, 0.99),
    maxSeconds: percentileOf(seconds, 1),
    workerHours: day.workerHours,
    workersStarted: day.workersStarted,
    maxWaitSeconds: Math.max(...day.looks.map(({ waitSeconds }) => waitSeconds * SCALE)),
  }
}

/** Returns the rule that met the objective with the fewest worker-hours; undefined if none did. */
export const chooseRule = (summaries: readonly RuleSummary[]): RuleSummary | undefined =>
  summaries
    .filter(({ inTime }) => inTime >= OBJECTIVE.share)
    .toSorted((a, b) => a.workerHours - b.workerHours)
    .at(0)

/** Worker-hours of a day with the highest number of workers. */
export const MOST_HOURS = WORKERS.max * 24
