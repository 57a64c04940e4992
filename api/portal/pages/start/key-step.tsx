import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconInfoCircle, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../client/api.ts'
import { useUser } from '../../client/session.tsx'
import { CommandBlock } from '../../parts/command-block.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { exportCommand } from './commands.ts'

type Role = 'uploader' | 'requester'

const TEXTS = {
  uploader: { create: 'Create an uploader key', title: 'Uploader key' },
  requester: { create: 'Create a requester key', title: 'Requester key' },
} as const

/** Makes the keys that the commands need, or says whom to ask; a key is gone when the page is left. */
export function KeyStep({
  keys,
  setKeys,
}: {
  keys: Partial<Record<Role, string>>
  setKeys: (keys: Partial<Record<Role, string>>) => void
}) {
  const { role } = useUser()
  const [state, setState] = useState<{ busy?: Role; error?: unknown }>({})

  async function create(keyRole: Role) {
    setState({ busy: keyRole })
    try {
      const { data } = await api.POST('/api/keys/v1', {
        body: { label: `Get started, ${new Date().toISOString().slice(0, 10)}`, role: keyRole },
      })
      setKeys({ ...keys, ...(data && { [keyRole]: data.key }) })
      setState({})
    } catch (error) {
      setState({ error })
    }
  }

  return (
    <Stack gap="sm">
      {role === 'analyst' && (
        <Alert variant="light" color="ink" icon={<IconInfoCircle aria-hidden />}>
          Only admins create keys: ask one of your subscription for both, and put them in here.
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
            ? 'You will not see a key again once you leave this page. Revoke it when you have done, under '
            : 'Or make keys with a label and an expiry of your own under '}
          <Anchor component={Link} to="/keys" size="sm" underline="always">
            API keys
          </Anchor>
          .
        </Text>
      )}
    </Stack>
  )
}
