import '@mantine/charts/styles.css'
import { BarChart, LineChart } from '@mantine/charts'
import { SimpleGrid } from '@mantine/core'
import { clockText, countText, durationText } from '../../parts/formats.ts'
import { toDate } from '../../parts/to-date.ts'
import { ChartCard } from './chart-card.tsx'
import classes from './pipeline.module.css'
import type { Pipeline } from './use-pipeline.ts'

const INK = 'var(--mantine-color-ink-filled)'
const ORANGE = 'var(--mantine-color-orange-filled)'
const GRAY = 'var(--mantine-color-gray-filled)'

const HEIGHT = 220

/** Common props of the charts; the card around each chart has its text alternative. */
const COMMON = {
  h: HEIGHT,
  dataKey: 'time',
  tickLine: 'y',
  xAxisProps: { minTickGap: 40 },
  yAxisProps: { width: 64, allowDecimals: false },
} as const

/** The series as charts, each with a table of the same numbers. */
export function PipelineCharts({ pipeline: { series, stepSeconds, total, window } }: { pipeline: Pipeline }) {
  const data = series.map(({ at, ...span }) => ({ time: clockText(toDate(at)), ...span }))
  const step = stepSeconds === 60 ? 'minute' : '15 minutes'
  const most = Math.max(...series.map(({ uploads }) => uploads))
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} className={classes.charts}>
      <ChartCard
        title={`Uploads per ${step}`}
        meaning="Watch for drops to zero while your apps are in use."
        summary={`Uploads per ${step} over the last ${window}: ${countText(total.uploads)} in total, at most ${countText(most)} per ${step}.`}
        columns={['Uploads', 'Ready', 'Invalid']}
        rows={data.map(({ time, uploads, ready, invalid }) => [
          time,
          ...[uploads, ready, invalid].map((datasets) => countText(datasets)),
        ])}
      >
        <BarChart
          {...COMMON}
          data={data}
          series={[{ name: 'uploads', label: 'Uploads', color: INK }]}
          valueFormatter={(value) => countText(value)}
          barChartProps={{ accessibilityLayer: false }}
        />
      </ChartCard>
      <ChartCard
        title="Processing time"
        meaning="From upload until ready. Watch for increases: they mean that the workers are overloaded; add more."
        summary={
          total.latencyP50Ms === null || total.latencyP95Ms === null
            ? `Processing time over the last ${window}: no datasets were processed.`
            : `Processing time over the last ${window}: p50 ${durationText(total.latencyP50Ms)}, p95 ${durationText(total.latencyP95Ms)}.`
        }
        columns={['p50', 'p95']}
        rows={data.map(({ time, latencyP50Ms, latencyP95Ms }) => [
          time,
          ...[latencyP50Ms, latencyP95Ms].map((ms) => (ms === null ? '–' : durationText(ms))),
        ])}
      >
        <LineChart
          {...COMMON}
          data={data}
          series={[
            { name: 'latencyP95Ms', label: 'p95', color: GRAY, strokeDasharray: '5 4' },
            { name: 'latencyP50Ms', label: 'p50', color: INK },
          ]}
          withLegend
          legendProps={{ verticalAlign: 'bottom' }}
          connectNulls={false}
          curveType="linear"
          dotProps={{ r: 2 }}
          valueFormatter={durationText}
          lineChartProps={{ accessibilityLayer: false }}
        />
      </ChartCard>
      {total.invalid > 0 && (
        <ChartCard
          title={`Invalid per ${step}`}
          meaning="Data that could not be decoded. Watch for increases: the usual cause is a new version of an app or SDK."
          summary={`Invalid datasets per ${step} over the last ${window}: ${countText(total.invalid)} in total.`}
          columns={['Invalid', 'Ready']}
          rows={data.map(({ time, invalid, ready }) => [time, countText(invalid), countText(ready)])}
        >
          <BarChart
            {...COMMON}
            data={data}
            series={[{ name: 'invalid', label: 'Invalid', color: ORANGE }]}
            valueFormatter={(value) => countText(value)}
            barChartProps={{ accessibilityLayer: false }}
          />
        </ChartCard>
      )}
    </SimpleGrid>
  )
}
