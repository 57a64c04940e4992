import { presentRows } from '../reports/present-rows.ts'
import { RULES } from './rules.ts'
import { OBJECTIVE } from './simulation-plan.ts'
import { chooseRule, MOST_HOURS, type RuleSummary } from './summarise-days.ts'

const seconds = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} s`

/** Formats a row for each rule; the cheapest that met the objective is bold. */
export function presentDays(summaries: readonly RuleSummary[]): string {
  const chosen = chooseRule(summaries)
  const table = presentRows(
    [
      ...['rule', 'desired workers', `settled within ${OBJECTIVE.seconds} s`, 'p50', 'p99', 'longest'],
      ...['worker-hours', 'workers started'],
    ],
    summaries.map((one) => [
      one === chosen ? `**${one.rule}**` : one.rule,
      RULES[one.rule].describe,
      `${(Math.floor(one.inTime * 10_000) / 100).toFixed(2)} %`,
      ...[one.p50Seconds, one.p99Seconds, one.maxSeconds].map(seconds),
      one.workerHours.toFixed(1),
      String(one.workersStarted),
    ]),
  )
  const verdict = chosen
    ? `Fewest worker-hours of the rules that settled ${OBJECTIVE.share * 100} % in time: **${chosen.rule}**, ${Math.round((1 - chosen.workerHours / MOST_HOURS) * 100)} % fewer than all workers all day.`
    : `No rule settled ${OBJECTIVE.share * 100} % in time.`
  return `${table}\n\n${verdict}`
}
