import { Anchor, Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { Link } from 'react-router'
import { actorLabel } from '../../parts/labels.ts'
import type { RecordColumns } from '../../parts/record-table.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { type AuditEvent, detailsOf, NONE, pathOf, sentenceOf, subjectOf } from './describe-event.ts'

/** Details shown in the table itself. */
const MAX_DETAILS = 3

/** @param act handlers of clicks on an actor and on Details. */
export const auditColumns = (act: {
  searchActor: (actor: string) => void
  show: (event: AuditEvent) => void
}): RecordColumns<AuditEvent> => [
  { id: 'at', header: 'Time', cell: ({ row: { original } }) => <TimeText at={original.at} /> },
  {
    id: 'actor',
    header: 'Actor',
    cell: ({ row: { original } }) => (
      <Anchor
        component="button"
        type="button"
        size="sm"
        c="inherit"
        ta="left"
        style={{ overflowWrap: 'anywhere' }}
        onClick={() => act.searchActor(original.actor)}
        aria-label={`Show actions of ${actorLabel(original)}`}
      >
        {actorLabel(original)}
      </Anchor>
    ),
  },
  {
    id: 'action',
    header: 'Action',
    cell: ({ row: { original } }) => <Action event={original} />,
  },
  {
    id: 'details',
    header: () => <VisuallyHidden>Details</VisuallyHidden>,
    cell: ({ row: { original } }) => (
      <Group justify="flex-end">
        <Button
          variant="default"
          size="xs"
          onClick={() => act.show(original)}
          aria-label={`Details: ${sentenceOf(original)}`}
        >
          Details
        </Button>
      </Group>
    ),
  },
]

function Action({ event }: { event: AuditEvent }) {
  const subject = subjectOf(event)
  const path = pathOf(event)
  const details = detailsOf(event)
    .filter(({ name, text }) => name !== 'Label' && text !== NONE)
    .slice(0, MAX_DETAILS)
    .map(({ name, text }) => `${name}: ${text}`)
  return (
    <Stack gap={2} style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">
        <Text span fw={600}>
          {sentenceOf(event)}
        </Text>
        {subject && (
          <>
            {' · '}
            {path ? (
              <Anchor component={Link} to={path} size="sm">
                {subject.name}
              </Anchor>
            ) : (
              subject.name
            )}
          </>
        )}
      </Text>
      {details.length > 0 && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {details.join(' · ')}
        </Text>
      )}
    </Stack>
  )
}
