import '@mantine/charts/styles.css'
import { CompositeChart } from '@mantine/charts'
import { percentText } from '../../parts/formats.ts'
import type { DryRun } from './scorecard-types.ts'

const percent = (share: number) => percentText(share, 1)

/** Chart of both distributions: the champion as columns, this version as a line. */
export function ShiftChart({ histogram }: { histogram: NonNullable<DryRun['histogram']> }) {
  const { from, width, candidate, champion } = histogram
  const data = candidate.map((share, at) => {
    const first = Math.round(from + at * width)
    return {
      scores: width === 1 ? String(first) : `${first} to ${Math.round(first + width - 1)}`,
      'This version': share,
      ...(champion && { Champion: champion[at] ?? 0 }),
    }
  })
  return (
    <CompositeChart
      h={260}
      data={data}
      dataKey="scores"
      withLegend
      legendProps={{ verticalAlign: 'top', height: 36 }}
      valueFormatter={percent}
      curveType="step"
      withDots={false}
      strokeWidth={2.5}
      maxBarWidth={28}
      xAxisProps={{ interval: 'preserveStartEnd', minTickGap: 32 }}
      yAxisProps={{ width: 52 }}
      series={[
        ...(champion ? [{ name: 'Champion', type: 'bar' as const, color: 'gray.5' }] : []),
        { name: 'This version', type: champion ? ('line' as const) : ('bar' as const), color: 'ink.6' },
      ]}
      role="img"
      aria-label="Share of datasets by score; the table below has the statistics"
    />
  )
}
