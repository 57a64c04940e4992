import type { MonitoredScorecard } from '../../worker/monitoring/monitor-scores.ts'

/** What was monitored of a version, and what an operator calls it. */
export interface ListedMonitoring extends MonitoredScorecard {
  readonly name: string | null
  readonly stage: string
}

export const titleOf = ({ name, stage, code, version, against }: ListedMonitoring): string =>
  `${code} ${version.slice(0, 8)}${name === null ? '' : `, ${name}`}, ${stage}; against ${against === 'expected' ? 'what it expects' : 'its first 30 days'}`

/** The characteristics of some days, the one that once shifted most first. */
export function worstFirst({ days }: Pick<MonitoredScorecard, 'days'>): string[] {
  const worst = new Map<string, number>()
  for (const { characteristics } of days)
    for (const [name, { csi }] of Object.entries(characteristics))
      worst.set(name, Math.max(csi, worst.get(name) ?? 0))
  return [...worst].sort(([a, of], [b, than]) => than - of || (a < b ? -1 : 1)).map(([name]) => name)
}
