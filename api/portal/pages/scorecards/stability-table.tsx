import { Badge, Group, Paper, Skeleton, Table, Text, Title } from '@mantine/core'
import { IconChartLine } from '@tabler/icons-react'
import { queries } from '../../client/api.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { indexText } from '../../parts/formats.ts'
import { SHIFT_LEVELS } from './shift-levels.ts'

const DAYS = 30

/** How far the scores of a version have shifted, day by day. */
export function StabilityTable({ code, version }: { code: string; version: string }) {
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/scorecards/v1/{code}/stability', {
    params: { path: { code }, query: { version, days: DAYS } },
  })
  if (isPending) return <Skeleton height={240} />
  if (error) return <ErrorState error={error} what="stability" retry={() => void refetch()} />
  if (data.items.length === 0)
    return (
      <EmptyState icon={IconChartLine} title="Nothing was measured yet">
        Once the version has scored datasets for a whole day, their distribution is compared with the one that
        the definition expects, or else with that of its first 30 days.
      </EmptyState>
    )
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="stability">
      <Title order={2} id="stability">
        Stability of the last {DAYS} days
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        PSI of the scores of a day, in UTC, against what the definition expects or the first 30 days of the
        version: below 0.10 stable, from 0.25 on another population.
      </Text>
      <Table.ScrollContainer minWidth={420}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Day</Table.Th>
              <Table.Th>PSI</Table.Th>
              <Table.Th>Shifted most (CSI)</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.items.map(({ day, psi, mark, characteristics }) => (
              <Table.Tr key={day}>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>{day}</Table.Td>
                <Table.Td>
                  <Group gap="xs" wrap="nowrap">
                    {indexText(psi)}
                    <Badge variant="light" color={SHIFT_LEVELS[mark].color} tt="none">
                      {SHIFT_LEVELS[mark].word}
                    </Badge>
                  </Group>
                </Table.Td>
                <Table.Td>
                  {characteristics.map(({ name, csi }) => `${name} ${indexText(csi)}`).join(', ') || '–'}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}
