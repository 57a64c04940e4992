import { Button, Modal, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { bytesText, countText, dayText } from '../../parts/formats.ts'
import type { SiteKey } from './site-key-types.ts'
import { UseChart } from './use-chart.tsx'

type Day = SiteKey['days'][number]

/** Columns of the counts, in order. */
const COLUMNS = [
  { name: 'opened', header: 'Opened', text: countText },
  { name: 'completed', header: 'Completed', text: countText },
  { name: 'abandoned', header: 'Abandoned', text: countText },
  { name: 'rejected', header: 'Rejected', text: countText },
  { name: 'bytes', header: 'Received', text: bytesText },
] as const satisfies readonly { name: keyof Day; header: string; text: (value: number) => string }[]

const totalOf = (days: readonly Day[], name: (typeof COLUMNS)[number]['name']) =>
  days.reduce((total, day) => total + day[name], 0)

/** Collections of a site key in the last 30 days; a click shows them by day. */
export function SiteKeyUse({ siteKey: { label, days, lastUsedOn } }: { siteKey: SiteKey }) {
  const [opened, { open, close }] = useDisclosure(false)
  if (days.length === 0) return lastUsedOn === null ? 'Never used' : `Last used ${dayText(lastUsedOn)}`
  const text = `${countText(totalOf(days, 'opened'))} opened`
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={open}
        aria-label={`${text}: use of ${label} by day`}
      >
        {text}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Use of ${label}`}
        size="xl"
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            Collections of the last 30 days, by day in UTC. Rejected are requests from other origins, without
            a valid token or beyond the limit: watch for increases.
          </Text>
          <UseChart days={days} />
          <ScrollArea type="auto" viewportProps={{ tabIndex: 0 }}>
            <UseTable days={days} />
          </ScrollArea>
        </Stack>
      </Modal>
    </>
  )
}

function UseTable({ days }: { days: readonly Day[] }) {
  return (
    <Table miw="34rem" aria-label="Use by day">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day</Table.Th>
          {COLUMNS.map(({ name, header }) => (
            <Table.Th key={name} ta="right">
              {header}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {days.toReversed().map((day) => (
          <Table.Tr key={day.day}>
            <Table.Th scope="row" fw={400}>
              {dayText(day.day)}
            </Table.Th>
            {COLUMNS.map(({ name, text }) => (
              <Table.Td key={name} ta="right">
                {text(day[name])}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th scope="row">Total</Table.Th>
          {COLUMNS.map(({ name, text }) => (
            <Table.Th key={name} ta="right">
              {text(totalOf(days, name))}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  )
}
