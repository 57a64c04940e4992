import { Table } from '@mantine/core'
import { countText, percentText, statisticText } from '../../parts/formats.ts'
import type { DryRun } from './scorecard-types.ts'

type Distribution = NonNullable<DryRun['candidate']>

const ROWS: readonly (readonly [label: string, tell: (of: Distribution) => string])[] = [
  ['Captures with a score', ({ scored }) => countText(scored)],
  ['Mean', ({ mean }) => statisticText(mean)],
  ['Standard deviation', ({ deviation }) => statisticText(deviation)],
  ['Lowest to highest', ({ min, max }) => `${statisticText(min)} to ${statisticText(max)}`],
  ['Median', ({ deciles }) => statisticText(deciles[4] ?? Number.NaN)],
  [
    'Middle 80 %',
    ({ deciles }) =>
      `${statisticText(deciles[0] ?? Number.NaN)} to ${statisticText(deciles[8] ?? Number.NaN)}`,
  ],
  [
    'Mean probability of bad',
    ({ meanProbability }) => (meanProbability === null ? '–' : percentText(meanProbability)),
  ],
]

/** Both distributions in numbers. */
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
        {ROWS.map(([label, tell]) => (
          <Table.Tr key={label}>
            <Table.Td>{label}</Table.Td>
            <Table.Td ta="right">{candidate ? tell(candidate) : '–'}</Table.Td>
            {champion && <Table.Td ta="right">{tell(champion)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
