import { Badge, Group, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { countText, indexText, percentText, pluralText } from '../../parts/formats.ts'
import { DistributionTable } from './distribution-table.tsx'
import type { DryRun } from './scorecard-types.ts'
import { ShiftChart } from './shift-chart.tsx'
import { SHIFT_LEVELS } from './shift-levels.ts'

/** The scores of a version for stored datasets, compared with the champion. */
export function BacktestResult(run: DryRun) {
  const { captures, otherPlatforms, candidate, champion, withoutScore, shift, histogram, reasons, segments } =
    run
  if (captures === 0)
    return (
      <Paper withBorder p="md">
        <Title order={2}>No datasets yet</Title>
        <Text size="sm" c="dimmed">
          Your subscription has no processed datasets for a backtest. Run it again after uploads.
        </Text>
      </Paper>
    )
  return (
    <>
      <Paper withBorder p="md" component="section" aria-labelledby="shift">
        <Group justify="space-between" align="flex-start" mb="md">
          <div>
            <Title order={2} id="shift">
              Backtest results
            </Title>
            <Text size="sm" c="dimmed">
              Last {pluralText(captures, 'dataset')}
              {otherPlatforms > 0 && `, ${countText(otherPlatforms)} excluded (other platforms)`}
            </Text>
          </div>
          {shift ? (
            <Stack gap={2} align="flex-end">
              <Group gap="xs">
                <Text fw={650} className="tabular">
                  PSI {indexText(shift.psi)}
                </Text>
                <Badge variant="light" color={SHIFT_LEVELS[shift.mark].color} tt="none">
                  {SHIFT_LEVELS[shift.mark].label}
                </Badge>
              </Group>
              <Text size="xs" c="dimmed">
                {SHIFT_LEVELS[shift.mark].meaning}
              </Text>
            </Stack>
          ) : (
            <Text size="sm" c="dimmed">
              {champion === null ? 'No champion to compare with' : 'No scores to compare'}
            </Text>
          )}
        </Group>
        {histogram && <ShiftChart histogram={histogram} />}
        <DistributionTable candidate={candidate} champion={champion} />
      </Paper>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Paper withBorder p="md" component="section" aria-labelledby="without-score">
          <Title order={2} id="without-score">
            Without a score: {percentText(withoutScore.share, 1)}
          </Title>
          {withoutScore.count === 0 ? (
            <Text size="sm" c="dimmed">
              All datasets of its platforms have a score.
            </Text>
          ) : (
            <Table mt="xs">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Reason</Table.Th>
                  <Table.Th ta="right">Datasets</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {withoutScore.why.map(({ reason, count }) => (
                  <Table.Tr key={reason}>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>{reason}</Table.Td>
                    <Table.Td ta="right">{countText(count)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
          {Object.keys(segments).length > 0 && (
            <Table mt="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Segment</Table.Th>
                  <Table.Th ta="right">Datasets</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {Object.entries(segments).map(([name, count]) => (
                  <Table.Tr key={name}>
                    <Table.Td>{name}</Table.Td>
                    <Table.Td ta="right">{countText(count)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Paper>
        <Paper withBorder p="md" component="section" aria-labelledby="reasons">
          <Title order={2} id="reasons">
            Reasons
          </Title>
          {reasons.length === 0 ? (
            <Text size="sm" c="dimmed">
              None: the definition has no reason codes, or no characteristic is on the negative side of its
              baseline.
            </Text>
          ) : (
            <Table mt="xs">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Reason</Table.Th>
                  <Table.Th ta="right">Share of scores</Table.Th>
                  <Table.Th ta="right">As first reason</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {reasons.map(({ code, text, share, shareFirst }) => (
                  <Table.Tr key={code}>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>
                      {text ?? code}
                      {text !== null && (
                        <Text size="xs" c="dimmed">
                          {code}
                        </Text>
                      )}
                    </Table.Td>
                    <Table.Td ta="right">{percentText(share, 1)}</Table.Td>
                    <Table.Td ta="right">{percentText(shareFirst, 1)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Paper>
      </SimpleGrid>
    </>
  )
}
