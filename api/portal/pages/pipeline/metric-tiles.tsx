import { Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { countText, durationText, percentText } from '../../parts/formats.ts'
import type { Pipeline } from './use-pipeline.ts'

/** The main metrics, each with its meaning. */
export function MetricTiles({ pipeline: { total, waiting, window } }: { pipeline: Pipeline }) {
  const settled = total.ready + total.invalid
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
      <Tile label="Waiting now" value={countText(waiting.datasets, waiting.atLeast)}>
        {waiting.oldestSeconds === null
          ? 'All uploads are processed.'
          : `The oldest was uploaded ${durationText(waiting.oldestSeconds * 1_000)} ago. A few seconds are normal.`}
        {waiting.again > 0 && ` ${countText(waiting.again)} more are being reprocessed.`}
      </Tile>
      <Tile label={`Uploads, last ${window}`} value={countText(total.uploads)}>
        Datasets received. Repeated uploads count once.
      </Tile>
      <Tile
        label="Processing time, p50"
        value={total.latencyP50Ms === null ? '–' : durationText(total.latencyP50Ms)}
      >
        {total.latencyP95Ms === null
          ? 'From upload until ready. No datasets were processed.'
          : `From upload until ready; p95 ${durationText(total.latencyP95Ms)}.`}
      </Tile>
      <Tile label={`Invalid, last ${window}`} value={countText(total.invalid)}>
        {settled === 0
          ? 'Datasets that could not be decoded.'
          : `${percentText(total.invalid / settled, 1)} of processed datasets. Watch for increases: the usual cause is a change in an app or SDK.`}
      </Tile>
    </SimpleGrid>
  )
}

function Tile({ label, value, children }: { label: string; value: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={label}>
      <Stack gap={2}>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
        <Text fz={28} fw={650} lh={1.2} className="tabular">
          {value}
        </Text>
        <Text size="xs" c="dimmed">
          {children}
        </Text>
      </Stack>
    </Paper>
  )
}
