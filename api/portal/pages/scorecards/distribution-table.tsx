import { Table } from '@mantine/core'
import type { DryRun } from './scorecard-types.ts'

type Distribution = NonNullable<DryRun['candidate']>

const number = (value: number) => value.toLocaleString(undefined, { maximumFractionDigits: 1 })

const ROWS: readonly (readonly [label: string, tell: (of: Distribution) => string])[] = [
  ['Captures with a score', ({ scored }) => scored.toLocaleString()],
  ['Mean', ({ mean }) => number(mean)],
  ['Standard deviation', ({ deviation }) => number(deviation)],
  ['Lowest to highest', ({ min, max }) => `${number(min)} to ${number(max)}`],
  ['Median', ({ deciles }) => number(deciles[4] ?? Number.NaN)],
  [
    'Middle 80 %',
    ({ deciles }) => `${number(deciles[0] ?? Number.NaN)} to ${number(deciles[8] ?? Number.NaN)}`,
  ],
  [
    'Mean probability of bad',
    ({ meanProbability }) => (meanProbability === null ? '–' : `${(100 * meanProbability).toFixed(2)} %`),
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
