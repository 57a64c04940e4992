import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { FACTOR_LABELS } from '../../parts/labels.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { RenameFactorDialog } from './rename-factor-dialog.tsx'

type Factor = components['schemas']['Factor']

const ICONS = { passkey: IconFingerprint, totp: IconDeviceMobile }

export function FactorRow({ factor, onChanged }: { factor: Factor; onChanged: () => Promise<unknown> }) {
  const [renaming, setRenaming] = useState(false)
  const { id, kind, name, createdAt, lastUsedAt } = factor
  const Icon = ICONS[kind]
  return (
    <Group justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap" align="flex-start" miw={0}>
        <Icon size={20} stroke={1.6} aria-hidden style={{ flex: 'none', marginTop: 2 }} />
        <Stack gap={2} miw={0}>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {FACTOR_LABELS[kind]} · added <TimeText at={createdAt} />
            {lastUsedAt !== null && (
              <>
                {' '}
                · used <TimeText at={lastUsedAt} since />
              </>
            )}
          </Text>
        </Stack>
      </Group>
      <Group gap="xs" wrap="nowrap">
        <Button size="xs" variant="default" onClick={() => setRenaming(true)} aria-label={`Rename ${name}`}>
          Rename
        </Button>
        <ConfirmButton
          size="xs"
          aria-label={`Remove ${name}`}
          title={`Remove ${name}?`}
          question="It no longer signs you in. Without any second factor, your password alone does."
          confirm="Remove"
          act={async () => {
            await api.DELETE('/api/account/v1/factors/{id}', { params: { path: { id } } })
            void onChanged()
          }}
        >
          Remove
        </ConfirmButton>
      </Group>
      <RenameFactorDialog
        factor={factor}
        opened={renaming}
        close={() => setRenaming(false)}
        onRenamed={() => void onChanged()}
      />
    </Group>
  )
}
