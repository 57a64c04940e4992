import { Badge, Code, Group, Stack, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import type { components } from '../../client/openapi.d.ts'
import type { RecordColumns } from '../../parts/record-table.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { keyLabel } from './key-label.ts'
import { describeGrant } from './key-roles.ts'
import { KeyStatus } from './key-status.tsx'
import { RevokeKeyButton } from './revoke-key-button.tsx'

export const KEY_COLUMNS: RecordColumns<components['schemas']['Key']> = [
  {
    id: 'key',
    header: 'Key',
    cell: ({ row: { original } }) => (
      <Stack gap={2} align="flex-start">
        <Group gap="xs">
          <Text size="sm" fw={600} c="inherit" style={{ overflowWrap: 'anywhere' }}>
            {keyLabel(original)}
          </Text>
          {original.mode === 'test' && (
            <Badge size="sm" variant="light" color="grape">
              Test
            </Badge>
          )}
        </Group>
        {original.prefix !== null && <Code fz="xs">{original.prefix}…</Code>}
        {original.networks !== null && (
          <Text size="xs" c="inherit" style={{ overflowWrap: 'anywhere' }}>
            only from {original.networks.join(', ')}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    id: 'role',
    header: 'Role',
    cell: ({ row: { original } }) => {
      const { label, text } = describeGrant(original)
      return (
        <Tooltip label={text}>
          <Text span size="sm" c="inherit" tabIndex={0}>
            {label}
          </Text>
        </Tooltip>
      )
    },
  },
  { id: 'status', header: 'Status', cell: ({ row: { original } }) => <KeyStatus apiKey={original} /> },
  {
    id: 'used',
    header: 'Last used',
    cell: ({ row: { original } }) =>
      original.lastUsedAt === null ? 'Never' : <TimeText at={original.lastUsedAt} since />,
  },
  {
    id: 'expires',
    header: 'Expires',
    cell: ({ row: { original } }) =>
      original.expiresAt === null ? 'Never' : <TimeText at={original.expiresAt} since />,
  },
  {
    id: 'created',
    header: 'Created',
    cell: ({ row: { original } }) => (
      <Stack gap={2} align="flex-start">
        <TimeText at={original.createdAt} since />
        {original.createdBy !== null && (
          <Text size="xs" c="inherit" style={{ overflowWrap: 'anywhere' }}>
            by {original.createdBy}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    id: 'actions',
    header: () => <VisuallyHidden>Actions</VisuallyHidden>,
    cell: ({ row: { original } }) => (
      <Group justify="flex-end">
        {original.state === 'live' ? <RevokeKeyButton apiKey={original} /> : null}
      </Group>
    ),
  },
]
