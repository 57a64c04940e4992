import { Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { SITE_KEYS_QUERY, type SiteKey } from './site-key-types.ts'

/** Hours for which a rotated key still works. */
const OVERLAP_HOURS = 24

/** Creates the successor of a site key, after confirmation. */
export function RotateSiteKeyButton({ siteKey: { id, label } }: { siteKey: SiteKey }) {
  const client = useQueryClient()

  async function rotate() {
    const path = { id: String(id) }
    await api.POST('/api/site-keys/v1/{id}/rotate', {
      params: { path },
      body: { overlapHours: OVERLAP_HOURS },
    })
    await client.invalidateQueries({ queryKey: SITE_KEYS_QUERY })
    notifications.show({
      title: 'Key rotated',
      message: `Put the new key of ${label} into your pages within ${OVERLAP_HOURS} hours.`,
      color: 'teal',
    })
  }

  return (
    <ConfirmButton
      size="xs"
      title={`Rotate ${label}?`}
      confirm="Rotate key"
      color="ink"
      act={rotate}
      aria-label={`Rotate ${label}`}
      question={
        <Stack gap="xs">
          <Text size="sm">
            Creates a second key with the same settings. This key still works for {OVERLAP_HOURS} hours, so
            that you can change your pages meanwhile.
          </Text>
          <Text size="sm">To stop a key at once, revoke it.</Text>
        </Stack>
      }
    >
      Rotate
    </ConfirmButton>
  )
}
