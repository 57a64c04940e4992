import { Badge, Group, Paper, Skeleton, Table, Text, Title } from '@mantine/core'
import { IconChartLine } from '@tabler/icons-react'
import { queries } from '../../client/api.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { indexText } from '../../parts/formats.ts'
import { SHIFT_LEVELS } from './shift-levels.ts'

const DAYS = 30

/** The shift of a version's scores by day. */
export function StabilityTable({ code, version }: { code: string; version: string }) {
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/scorecards/v1/{code}/stability', {
    params: { path: { code }, query: { version, days: DAYS } },
  })
  if (isPending) return <Skeleton height={240} />
  if (error) return <ErrorState error={error} what="stability" retry={() => void refetch()} />
  if (data.items.length === 0)
    return (
      <EmptyState icon={IconChartLine} title="No measurements yet">
        After a full day of scores, their distribution is compared with the expected distribution of the
        definition, or otherwise with that of the first 30 days.
      </EmptyState>
    )
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="stability">
      <Title order={2} id="stability">
        Stability, last {DAYS} days
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        PSI of the scores of each day (UTC) against the expected distribution of the definition or the first
        30 days of the version: stable below 0.10, shifted from 0.25.
      </Text>
      <Table.ScrollContainer minWidth={420}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Day</Table.Th>
              <Table.Th>PSI</Table.Th>
              <Table.Th>Largest shifts (CSI)</Table.Th>
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
                      {SHIFT_LEVELS[mark].label}
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
