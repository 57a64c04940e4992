import { Button, Group, Paper, ScrollArea, Stack, Table, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useId } from 'react'

/** A chart over time with its meaning, and the same numbers as a table, newest first. */
export function ChartCard({
  title,
  meaning,
  summary,
  columns,
  rows,
  children,
}: {
  title: string
  meaning: string
  /** Text alternative of the chart. */
  summary: string
  /** Headers of the columns after the time. */
  columns: readonly string[]
  /** Oldest first; each row begins with the time. */
  rows: readonly (readonly string[])[]
  children: ReactNode
}) {
  const [asTable, { toggle }] = useDisclosure(false)
  const id = useId()
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Title order={2} id={id}>
            {title}
          </Title>
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={toggle}
            aria-label={asTable ? 'Show chart' : 'Show table'}
            aria-describedby={id}
          >
            {asTable ? 'Chart' : 'Table'}
          </Button>
        </Group>
        <Text size="xs" c="dimmed" mih="2.9em">
          {meaning}
        </Text>
        {asTable ? (
          <ScrollArea h={220} viewportProps={{ tabIndex: 0 }}>
            <Table stickyHeader>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Time</Table.Th>
                  {columns.map((column) => (
                    <Table.Th key={column} ta="right">
                      {column}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.toReversed().map(([time, ...cells]) => (
                  <Table.Tr key={time}>
                    <Table.Th scope="row" fw={400}>
                      {time}
                    </Table.Th>
                    {cells.map((cell, at) => (
                      <Table.Td key={columns[at]} ta="right">
                        {cell}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </ScrollArea>
        ) : (
          <div role="img" aria-label={summary}>
            {children}
          </div>
        )}
      </Stack>
    </Paper>
  )
}
