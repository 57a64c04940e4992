import { Code, Group, Stack, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import type { components } from '../../client/openapi.d.ts'
import type { RecordColumns } from '../../parts/record-table.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { KeyState } from './key-state.tsx'
import { nameOfKey } from './name-of-key.ts'
import { RevokeKeyButton } from './revoke-key-button.tsx'
import { ROLES } from './role-text.ts'

export const KEY_COLUMNS: RecordColumns<components['schemas']['Key']> = [
  {
    id: 'key',
    header: 'Key',
    cell: ({ row: { original } }) => (
      <Stack gap={2} align="flex-start">
        <Text size="sm" fw={600} c="inherit" style={{ overflowWrap: 'anywhere' }}>
          {nameOfKey(original)}
        </Text>
        {original.prefix !== null && <Code fz="xs">{original.prefix}…</Code>}
      </Stack>
    ),
  },
  {
    id: 'role',
    header: 'Role',
    cell: ({ row: { original } }) => {
      const { label, text } = ROLES[original.role]
      return (
        <Tooltip label={text}>
          <Text span size="sm" c="inherit" tabIndex={0}>
            {label}
          </Text>
        </Tooltip>
      )
    },
  },
  { id: 'state', header: 'State', cell: ({ row: { original } }) => <KeyState apiKey={original} /> },
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
    cell: ({ row: { original } }) => <TimeText at={original.createdAt} since />,
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
