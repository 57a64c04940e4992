import { Table } from '@mantine/core'
import { countText, percentText, statisticText } from '../../parts/formats.ts'
import type { DryRun } from './scorecard-types.ts'

type Distribution = NonNullable<DryRun['candidate']>

const ROWS: readonly (readonly [label: string, textOf: (distribution: Distribution) => string])[] = [
  ['Datasets with a score', ({ scored }) => countText(scored)],
  ['Mean', ({ mean }) => statisticText(mean)],
  ['Standard deviation', ({ deviation }) => statisticText(deviation)],
  ['Range', ({ min, max }) => `${statisticText(min)} to ${statisticText(max)}`],
  ['Median', ({ deciles }) => statisticText(deciles[4] ?? Number.NaN)],
  [
    '10th to 90th percentile',
    ({ deciles }) =>
      `${statisticText(deciles[0] ?? Number.NaN)} to ${statisticText(deciles[8] ?? Number.NaN)}`,
  ],
  [
    'Mean probability of bad',
    ({ meanProbability }) => (meanProbability === null ? '–' : percentText(meanProbability)),
  ],
]

/** Statistics of both distributions. */
export function DistributionTable({ candidate, champion }: Pick<DryRun, 'candidate' | 'champion'>) {
  if (!candidate && !champion) return null
  return (
    <Table mt="md" verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Scores</Table.Th>
          <Table.Th ta="right">This version</Table.Th>
          {champion && <Table.Th ta="right">Champion</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {ROWS.map(([label, textOf]) => (
          <Table.Tr key={label}>
            <Table.Td>{label}</Table.Td>
            <Table.Td ta="right">{candidate ? textOf(candidate) : '–'}</Table.Td>
            {champion && <Table.Td ta="right">{textOf(champion)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
