import { Alert, Button, Group, Select, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconInfoCircle, IconPlus } from '@tabler/icons-react'
import { queries } from '../../client/api.ts'
import { useUser } from '../../client/session.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { CreateSiteKeyDialog } from '../site-keys/create-site-key-dialog.tsx'
import type { SiteKey } from '../site-keys/site-key-types.ts'

/** Live keys come first, the newest of them at the top. */
const NEWEST = { params: { query: { limit: 200 } } }

/** Chooses or creates the key of the snippet, or refers analysts to an admin. */
export function SiteKeyStep({
  chosen,
  choose,
}: {
  chosen: SiteKey | undefined
  choose: (key: SiteKey) => void
}) {
  const isAdmin = useUser().role === 'admin'
  const [creating, { open, close }] = useDisclosure(false)
  const { data, error, refetch } = queries.useQuery('get', '/api/site-keys/v1', NEWEST, {
    enabled: isAdmin,
  })
  const keys = (data?.items ?? []).filter(({ state }) => state === 'live')
  if (!isAdmin)
    return (
      <Alert variant="light" color="ink" icon={<IconInfoCircle aria-hidden />}>
        Only admins see site keys. Ask an admin of your subscription for one, and insert it here.
      </Alert>
    )
  return (
    <Stack gap="sm">
      {error !== null && <ErrorState error={error} what="site keys" retry={() => void refetch()} />}
      <Group align="flex-end">
        {keys.length > 0 && (
          <Select
            label="Site key"
            placeholder="Choose a key"
            data={keys.map(({ id, label, origins }) => ({
              value: String(id),
              label: `${label} (${origins.join(', ')})`,
            }))}
            value={chosen ? String(chosen.id) : null}
            onChange={(value) => {
              const key = keys.find(({ id }) => String(id) === value)
              if (key) choose(key)
            }}
            style={{ flex: '1 1 16rem' }}
          />
        )}
        <Button
          variant={keys.length > 0 ? 'default' : 'filled'}
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={open}
        >
          Create site key
        </Button>
      </Group>
      <CreateSiteKeyDialog opened={creating} close={close} onCreated={choose} />
    </Stack>
  )
}
