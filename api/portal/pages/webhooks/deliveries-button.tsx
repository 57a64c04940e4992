import { Button, Modal, ScrollArea, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSend } from '@tabler/icons-react'
import { queries } from '../../client/api.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { DELIVERY_OUTCOME_LABELS } from '../../parts/labels.ts'
import { TableSkeleton } from '../../parts/table-skeleton.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import type { Webhook } from './webhook-types.ts'

const SHOWN = 100

/** Shows the last attempts to deliver events to a webhook in a dialog. */
export function DeliveriesButton({ webhook: { id, label } }: { webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={open} aria-label={`Log of ${label}`}>
        Log
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Deliveries to ${label}`}
        size="xl"
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Deliveries id={id} />
      </Modal>
    </>
  )
}

function Deliveries({ id }: { id: number }) {
  const { data, error, refetch } = queries.useQuery(
    'get',
    '/api/webhooks/v1/{id}/deliveries',
    { params: { path: { id: String(id) }, query: { limit: SHOWN } } },
    { refetchInterval: 3_000 },
  )
  if (!data) {
    if (error) return <ErrorState error={error} what="deliveries" retry={() => void refetch()} />
    return <TableSkeleton />
  }
  if (data.items.length === 0)
    return (
      <EmptyState icon={IconSend} title="No deliveries yet">
        Test the webhook to send it an event.
      </EmptyState>
    )
  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0 }}>
      <Table miw="40rem" aria-label="Deliveries">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            <Table.Th>Event</Table.Th>
            <Table.Th>Outcome</Table.Th>
            <Table.Th>Answer</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.items.map(({ id: attemptId, at, type, eventId, attempt, outcome, status, answer, ms }) => (
            <Table.Tr key={attemptId}>
              <Table.Td>
                <TimeText at={at} />
              </Table.Td>
              <Table.Td>
                <Text size="sm">{type}</Text>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {eventId}
                </Text>
              </Table.Td>
              <Table.Td>
                {DELIVERY_OUTCOME_LABELS[outcome]}
                {attempt > 1 && `, attempt ${attempt}`}
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {[status, `${ms} ms`, answer].filter((part) => part !== null && part !== '').join(' · ')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}
