import { Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { keyLabel } from './key-label.ts'
import { KEYS_QUERY } from './keys-query.ts'

/** Revokes a key permanently, after confirmation. */
export function RevokeKeyButton({ apiKey }: { apiKey: components['schemas']['Key'] }) {
  const client = useQueryClient()
  const name = keyLabel(apiKey)

  async function revoke() {
    await api.DELETE('/api/keys/v1/{id}', { params: { path: { id: String(apiKey.id) } } })
    await client.invalidateQueries({ queryKey: KEYS_QUERY })
    notifications.show({ title: 'Key revoked', message: `${name} no longer works.`, color: 'gray' })
  }

  return (
    <ConfirmButton
      size="xs"
      title={`Revoke ${name}?`}
      confirm="Revoke key"
      act={revoke}
      aria-label={`Revoke ${name}`}
      question={
        <Stack gap="xs">
          <Text size="sm">
            Key no longer works: clients that use {apiKey.prefix ? <code>{apiKey.prefix}…</code> : 'it'} get
            401 within 5 seconds. A revoked key cannot be restored.
          </Text>
          <Text size="sm">
            {apiKey.lastUsedAt ? (
              <>
                Last used <TimeText at={apiKey.lastUsedAt} since />.
              </>
            ) : (
              'Never used.'
            )}
          </Text>
        </Stack>
      }
    >
      Revoke
    </ConfirmButton>
  )
}
