import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconInfoCircle, IconPlus } from '@tabler/icons-react'
import { type Dispatch, type SetStateAction, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../client/api.ts'
import { useUser } from '../../client/session.tsx'
import { CommandBlock } from '../../parts/command-block.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { exportCommand } from './commands.ts'

type Role = 'uploader' | 'requester'

const TEXTS = {
  uploader: { create: 'Create uploader key', title: 'Uploader key' },
  requester: { create: 'Create requester key', title: 'Requester key' },
} as const

/** Creates the keys of the commands, or refers analysts to an admin. Keys are not kept after the page is left. */
export function KeyStep({
  keys,
  setKeys,
}: {
  keys: Partial<Record<Role, string>>
  setKeys: Dispatch<SetStateAction<Partial<Record<Role, string>>>>
}) {
  const { role } = useUser()
  const [state, setState] = useState<{ busy?: Role; error?: unknown }>({})

  async function create(keyRole: Role) {
    setState({ busy: keyRole })
    try {
      const { data } = await api.POST('/api/keys/v1', {
        body: { label: `Get started, ${new Date().toISOString().slice(0, 10)}`, role: keyRole },
      })
      // the other key may have been created meanwhile
      setKeys((known) => ({ ...known, ...(data && { [keyRole]: data.key }) }))
      setState({})
    } catch (error) {
      setState({ error })
    }
  }

  return (
    <Stack gap="sm">
      {role === 'analyst' && (
        <Alert variant="light" color="ink" icon={<IconInfoCircle aria-hidden />}>
          Only admins can create keys. Ask an admin of your subscription for both, and insert them here.
        </Alert>
      )}
      {(['uploader', 'requester'] as const).map((keyRole) => (
        <Stack key={keyRole} gap={6}>
          {role === 'admin' && keys[keyRole] === undefined ? (
            <Group>
              <Button
                variant={keyRole === 'uploader' ? 'filled' : 'default'}
                leftSection={<IconPlus size={16} aria-hidden />}
                loading={state.busy === keyRole}
                onClick={() => void create(keyRole)}
              >
                {TEXTS[keyRole].create}
              </Button>
            </Group>
          ) : (
            <CommandBlock title={TEXTS[keyRole].title} command={exportCommand(keyRole, keys[keyRole])} />
          )}
        </Stack>
      ))}
      {state.error !== undefined && <ErrorState error={state.error} />}
      {role === 'admin' && (
        <Text size="sm" c="dimmed">
          {Object.keys(keys).length > 0
            ? 'Keys are not shown again after you leave this page. Revoke them when you are done, under '
            : 'Or create keys with your own label and expiry under '}
          <Anchor component={Link} to="/keys" size="sm" underline="always">
            API keys
          </Anchor>
          .
        </Text>
      )}
    </Stack>
  )
}
