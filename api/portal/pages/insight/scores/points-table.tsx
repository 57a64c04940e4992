import { Table, Text } from '@mantine/core'
import { useFeatures } from '../../../client/use-features.ts'
import { numberText, signedText } from '../../../parts/formats.ts'
import { StoreBadges } from '../../../parts/store-badges.tsx'
import { characteristicName } from '../characteristic-name.ts'
import type { ExplainedScore } from '../insight-types.ts'
import { inputText } from './input-text.ts'
import { gapOf, type Steps, SUM_LABELS } from './points-steps.ts'

/** Bins up to this length, such as [1.5, 3.5), do not wrap. */
const MAX_LINE = 16

/** The points of all characteristics, in the order of the scorecard. */
export function PointsTable({ score, steps }: { score: ExplainedScore; steps: Steps }) {
  const features = useFeatures()
  const { hasBaselines } = steps
  return (
    <Table.ScrollContainer
      minWidth="40rem"
      type="native"
      tabIndex={0}
      role="region"
      aria-label="Points by characteristic"
    >
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Characteristic</Table.Th>
            <Table.Th>Input</Table.Th>
            <Table.Th>Bin</Table.Th>
            <Table.Th ta="right">Points</Table.Th>
            {hasBaselines && <Table.Th ta="right">Baseline</Table.Th>}
            {hasBaselines && <Table.Th ta="right">Gap</Table.Th>}
            <Table.Th>Reason</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row" colSpan={3} fw={600}>
              Base
            </Table.Th>
            <Table.Td ta="right" fw={600}>
              {numberText(score.base ?? 0)}
            </Table.Td>
            <Table.Td colSpan={hasBaselines ? 3 : 1} />
          </Table.Tr>
          {score.characteristics.map(({ characteristic, input, bin, points, baseline, reason }) => (
            <Table.Tr key={characteristic}>
              <Table.Th scope="row" fw={500}>
                {characteristicName(characteristic)}
                <Text size="xs" c="dimmed" fw={400}>
                  {features.get(characteristic)?.description}
                </Text>
                <StoreBadges marks={features.get(characteristic)?.stores} />
              </Table.Th>
              <Table.Td>{inputText(input)}</Table.Td>
              <Table.Td style={{ whiteSpace: bin.length > MAX_LINE ? 'normal' : 'nowrap' }}>{bin}</Table.Td>
              <Table.Td ta="right">{signedText(points)}</Table.Td>
              {hasBaselines && (
                <>
                  <Table.Td ta="right">{baseline === null ? '' : numberText(baseline)}</Table.Td>
                  <Table.Td ta="right">
                    {baseline === null ? '' : signedText(gapOf({ points, baseline }))}
                  </Table.Td>
                </>
              )}
              <Table.Td>{reason?.text ?? reason?.code}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row" colSpan={3}>
              {SUM_LABELS[steps.unit]}
            </Table.Th>
            <Table.Th ta="right">{numberText(steps.total)}</Table.Th>
            <Table.Th colSpan={hasBaselines ? 3 : 1} />
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Table.ScrollContainer>
  )
}
