import { Anchor, Code, Group, Modal, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { Link } from 'react-router'
import { CopyButton } from '../../parts/copy-button.tsx'
import { actorLabel } from '../../parts/labels.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { type AuditEvent, detailsOf, pathOf, sentenceOf, subjectOf } from './describe-event.ts'

/** Dialog with all details of an event; closed without an event. */
export function EventDetails({ event, close }: { event: AuditEvent | undefined; close: () => void }) {
  return (
    <Modal
      opened={event !== undefined}
      onClose={close}
      title={event && sentenceOf(event)}
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {event && <Details event={event} />}
    </Modal>
  )
}

function Details({ event }: { event: AuditEvent }) {
  const subject = subjectOf(event)
  const path = pathOf(event)
  const json = JSON.stringify(event, null, 2)
  const rows = [
    { name: 'Time', text: <TimeText at={event.at} /> },
    { name: 'Actor', text: actorLabel(event) },
    ...(subject
      ? [
          {
            name: subject.kind,
            text: path ? (
              <Anchor component={Link} to={path} size="sm">
                {subject.name}
              </Anchor>
            ) : (
              subject.name
            ),
          },
        ]
      : []),
    ...detailsOf(event),
    { name: 'Action code', text: <Code>{event.action}</Code> },
  ]
  return (
    <Stack>
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>
          {rows.map(({ name, text }) => (
            <Table.Tr key={name}>
              <Table.Th w="38%" scope="row">
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          JSON as returned by the API
        </Text>
        <CopyButton value={json} what="JSON" />
      </Group>
      <ScrollArea.Autosize mah={240} type="auto" viewportProps={{ tabIndex: 0 }}>
        <Code block>{json}</Code>
      </ScrollArea.Autosize>
    </Stack>
  )
}
