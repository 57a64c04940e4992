import { Code, Group, Stack, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { CopyButton } from '../../parts/copy-button.tsx'
import { SITE_KEY_LEVEL_LABELS } from '../../parts/labels.ts'
import type { RecordColumns } from '../../parts/record-table.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { KeyStatus } from '../keys/key-status.tsx'
import { ChangeSiteKeyButton } from './change-site-key-button.tsx'
import { LEVEL_TEXTS } from './level-texts.ts'
import { RevokeSiteKeyButton } from './revoke-site-key-button.tsx'
import { RotateSiteKeyButton } from './rotate-site-key-button.tsx'
import type { SiteKey } from './site-key-types.ts'
import { SiteKeyUse } from './site-key-use.tsx'

export const SITE_KEY_COLUMNS: RecordColumns<SiteKey> = [
  {
    id: 'key',
    header: 'Key',
    cell: ({ row: { original } }) => (
      <Stack gap={2} align="flex-start">
        <Text size="sm" fw={600} c="inherit" style={{ overflowWrap: 'anywhere' }}>
          {original.label}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Code fz="xs" style={{ overflowWrap: 'anywhere' }}>
            {original.key}
          </Code>
          <CopyButton value={original.key} what={`key of ${original.label}`} />
        </Group>
        <Text size="xs" c="inherit" style={{ overflowWrap: 'anywhere' }}>
          Created <TimeText at={original.createdAt} since />
          {original.createdBy !== null && ` by ${original.createdBy}`}
        </Text>
      </Stack>
    ),
  },
  {
    id: 'level',
    header: 'Level',
    cell: ({ row: { original } }) => (
      <Tooltip label={LEVEL_TEXTS[original.level]} multiline maw={320}>
        <Text span size="sm" c="inherit" tabIndex={0}>
          {SITE_KEY_LEVEL_LABELS[original.level]}
        </Text>
      </Tooltip>
    ),
  },
  {
    id: 'origins',
    header: 'Origins',
    cell: ({ row: { original } }) => (
      <Stack gap={0}>
        {original.origins.map((origin) => (
          <Text key={origin} size="sm" c="inherit" style={{ overflowWrap: 'anywhere' }}>
            {origin}
          </Text>
        ))}
      </Stack>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ row: { original } }) => (
      <Stack gap={2} align="flex-start">
        <KeyStatus apiKey={original} />
        {original.state === 'live' && original.expiresAt !== null && (
          <Text size="xs" c="inherit">
            Ends <TimeText at={original.expiresAt} since />
          </Text>
        )}
      </Stack>
    ),
  },
  {
    id: 'use',
    header: 'Last 30 days',
    cell: ({ row: { original } }) => <SiteKeyUse siteKey={original} />,
  },
  {
    id: 'actions',
    header: () => <VisuallyHidden>Actions</VisuallyHidden>,
    cell: ({ row: { original } }) =>
      original.state === 'live' && (
        <Group justify="flex-end" gap="xs">
          <ChangeSiteKeyButton siteKey={original} />
          {original.expiresAt === null && <RotateSiteKeyButton siteKey={original} />}
          <RevokeSiteKeyButton siteKey={original} />
        </Group>
      ),
  },
]
