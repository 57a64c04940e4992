import { Stack, Text, VisuallyHidden } from '@mantine/core'
import type { RecordColumns } from '../../parts/record-table.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookStatus } from './webhook-status.tsx'
import type { Webhook } from './webhook-types.ts'

export const WEBHOOK_COLUMNS: RecordColumns<Webhook> = [
  {
    id: 'webhook',
    header: 'Webhook',
    cell: ({ row: { original } }) => (
      <Stack gap={2} align="flex-start">
        <Text size="sm" fw={600} c="inherit" style={{ overflowWrap: 'anywhere' }}>
          {original.label}
        </Text>
        <Text size="sm" c="inherit" style={{ overflowWrap: 'anywhere' }}>
          {original.url}
        </Text>
        <Text size="xs" c="inherit" style={{ overflowWrap: 'anywhere' }}>
          Created <TimeText at={original.createdAt} since /> by {original.createdBy}
        </Text>
      </Stack>
    ),
  },
  {
    id: 'types',
    header: 'Events',
    cell: ({ row: { original } }) =>
      original.types.length === 0 ? (
        'All'
      ) : (
        <Stack gap={0}>
          {original.types.map((type) => (
            <Text key={type} size="sm" c="inherit">
              {type}
            </Text>
          ))}
        </Stack>
      ),
  },
  { id: 'state', header: 'Status', cell: ({ row: { original } }) => <WebhookStatus webhook={original} /> },
  {
    id: 'actions',
    header: () => <VisuallyHidden>Actions</VisuallyHidden>,
    cell: ({ row: { original } }) => <WebhookActions webhook={original} />,
  },
]
