import { Code, Progress, Stack, Text } from '@mantine/core'
import { countText, pluralText } from '../../parts/formats.ts'
import {
  actorLabel,
  PERSON_KIND_LABELS,
  PRIVACY_REQUEST_LABELS,
  REQUEST_STATE_LABELS,
} from '../../parts/labels.ts'
import type { RecordColumns } from '../../parts/record-table.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import type { PrivacyRequest } from './privacy-types.ts'

export const REQUEST_COLUMNS: RecordColumns<PrivacyRequest> = [
  {
    id: 'requested',
    header: 'Requested',
    cell: ({ row: { original } }) => (
      <Stack gap={2} align="flex-start">
        <TimeText at={original.requestedAt} />
        <Text size="xs" c="inherit" style={{ overflowWrap: 'anywhere' }}>
          by {actorLabel(original)}
        </Text>
      </Stack>
    ),
  },
  { id: 'kind', header: 'Request', cell: ({ row: { original } }) => PRIVACY_REQUEST_LABELS[original.kind] },
  {
    id: 'person',
    header: 'Person',
    cell: ({ row: { original } }) => (
      <Stack gap={2} align="flex-start">
        <Text size="sm">{PERSON_KIND_LABELS[original.personKind]}</Text>
        <Code fz="xs" title={original.personHash}>
          {original.personHash.slice(0, 12)}…
        </Code>
      </Stack>
    ),
  },
  { id: 'state', header: 'State', cell: ({ row: { original } }) => <RequestState request={original} /> },
]

function RequestState({ request }: { request: PrivacyRequest }) {
  const { kind, state, waiting, datasets, total, finishedAt } = request
  if (state !== 'running')
    return (
      <Stack gap={2} align="flex-start">
        <Text size="sm">
          {REQUEST_STATE_LABELS[state]}: {pluralText(datasets, 'dataset')}
        </Text>
        {finishedAt !== null && (
          <Text size="xs" c="inherit">
            <TimeText at={finishedAt} />
          </Text>
        )}
      </Stack>
    )
  return (
    <Stack gap={4} miw="9rem">
      <Text size="sm">
        {waiting
          ? 'Waits for datasets that are being processed'
          : `${REQUEST_STATE_LABELS.running}: ${countText(datasets)} of ${countText(Math.max(total, datasets))}`}
      </Text>
      <Progress
        value={total === 0 ? 0 : Math.min(100, (datasets / total) * 100)}
        animated
        aria-label={kind === 'erase' ? 'Progress of the erasure' : 'Progress of the export'}
      />
    </Stack>
  )
}
