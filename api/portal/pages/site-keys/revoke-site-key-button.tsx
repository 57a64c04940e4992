import { Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { dayText } from '../../parts/formats.ts'
import { SITE_KEYS_QUERY, type SiteKey } from './site-key-types.ts'

/** Revokes a site key permanently, after confirmation. */
export function RevokeSiteKeyButton({ siteKey: { id, label, lastUsedOn } }: { siteKey: SiteKey }) {
  const client = useQueryClient()

  async function revoke() {
    await api.DELETE('/api/site-keys/v1/{id}', { params: { path: { id: String(id) } } })
    await client.invalidateQueries({ queryKey: SITE_KEYS_QUERY })
    notifications.show({ title: 'Key revoked', message: `${label} no longer works.`, color: 'gray' })
  }

  return (
    <ConfirmButton
      size="xs"
      title={`Revoke ${label}?`}
      confirm="Revoke key"
      act={revoke}
      aria-label={`Revoke ${label}`}
      question={
        <Stack gap="xs">
          <Text size="sm">
            Pages with the key send no new captures after 5 seconds; captures in progress continue. A revoked
            key cannot be restored.
          </Text>
          <Text size="sm">
            {lastUsedOn === null ? 'Never used.' : `Last used on ${dayText(lastUsedOn)} (UTC).`}
          </Text>
        </Stack>
      }
    >
      Revoke
    </ConfirmButton>
  )
}
