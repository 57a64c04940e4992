import type { MonitoredScorecard } from '../../worker/monitoring/monitor-scores.ts'

/** The monitoring data of a version with its name and stage. */
export interface ListedMonitoring extends MonitoredScorecard {
  readonly name: string | null
  readonly stage: string
}

export const titleOf = ({ name, stage, code, version, against }: ListedMonitoring): string =>
  `${code} ${version.slice(0, 8)}${name === null ? '' : `, ${name}`}, ${stage}; against ${against === 'expected' ? 'its expected distribution' : 'its first 30 days'}`

/** Lists the characteristics of these days by their largest shift, descending. */
export function worstFirst({ days }: Pick<MonitoredScorecard, 'days'>): string[] {
  const worst = new Map<string, number>()
  for (const { characteristics } of days)
    for (const [name, { csi }] of Object.entries(characteristics))
      worst.set(name, Math.max(csi, worst.get(name) ?? 0))
  return [...worst]
    .sort(([a, shiftOfA], [b, shiftOfB]) => shiftOfB - shiftOfA || (a < b ? -1 : 1))
    .map(([name]) => name)
}
