import type { MonitoredDay } from '../../worker/monitoring/monitor-scores.ts'
import { type ListedMonitoring, titleOf, worstFirst } from './listed-monitoring.ts'

/** Formats a table of days per scorecard for the terminal. */
export const presentMonitoring = (scorecards: readonly ListedMonitoring[]): string =>
  scorecards.length === 0
    ? 'No scores have been counted yet: workers store their counts once a minute\n'
    : `${scorecards.flatMap((one) => [titleOf(one), ...presentDays(one.days), '']).join('\n')}`.replace(
        /[^\P{C}\n]/gu, // control characters
        '?',
      )

const HEADER = ['day', 'datasets', 'no score', 'PSI', '', 'worst CSI', '', '']

function presentDays(days: readonly MonitoredDay[]): string[] {
  if (days.length === 0) return ['  no datasets on these days']
  const rows = [HEADER, ...days.map(presentDay)]
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    `  ${row
      .map((cell, column) =>
        /^[\d.,]+( %)?$/.test(cell) && column > 0
          ? cell.padStart(widths[column] ?? 0)
          : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')}`.trimEnd(),
  )
}

function presentDay(day: MonitoredDay): string[] {
  const [worst] = worstFirst({ days: [day] })
  const shift = worst === undefined ? undefined : day.characteristics[worst]
  return [
    day.day,
    day.datasets.toLocaleString('en-US'),
    `${((100 * day.withoutScore) / Math.max(1, day.datasets)).toFixed(1)} %`,
    day.psi?.toFixed(3) ?? 'none',
    day.mark ?? '',
    shift?.csi.toFixed(3) ?? 'none',
    shift?.mark ?? '',
    worst ?? '',
  ]
}
