import { Badge, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDeviceDesktop } from '@tabler/icons-react'
import { useState } from 'react'
import { api, queries } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'
import { useSession } from '../../client/session.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { clientName } from './client-name.ts'
import styles from './own-sessions.module.css'

type OwnSession = components['schemas']['OwnSession']

/** The user's active sessions, with buttons to end them. */
export function OwnSessions() {
  const { signOut } = useSession()
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/account/v1/sessions')
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="sessions-title">
      <Group justify="space-between" align="flex-start" mb="md">
        <Stack gap={4}>
          <Title order={2} id="sessions-title">
            Active sessions
          </Title>
          <Text size="sm" c="dimmed">
            Sign out devices you don't recognise, then change your password.
          </Text>
        </Stack>
        <ConfirmButton
          title="Sign out everywhere?"
          question="Ends all your sessions, including this one. Programs that use your sign-in token stop working."
          confirm="Sign out everywhere"
          act={async () => {
            await api.DELETE('/api/account/v1/sessions')
            await signOut()
          }}
        >
          Sign out everywhere
        </ConfirmButton>
      </Group>
      {error !== null ? (
        <ErrorState error={error} what="your sessions" retry={() => void refetch()} />
      ) : isPending ? (
        <Stack>
          <Skeleton h={44} />
          <Skeleton h={44} />
        </Stack>
      ) : (
        <ul className={styles.list}>
          {data.items.map((session) => (
            <li key={session.id} className={styles.session}>
              <SessionRow session={session} onEnded={() => refetch()} />
            </li>
          ))}
        </ul>
      )}
    </Paper>
  )
}

function SessionRow({ session, onEnded }: { session: OwnSession; onEnded: () => Promise<unknown> }) {
  const [busy, setBusy] = useState(false)
  const name = clientName(session.userAgent)

  async function end() {
    setBusy(true)
    try {
      await api.DELETE('/api/account/v1/sessions/{id}', { params: { path: { id: session.id } } })
      await onEnded()
    } catch (error) {
      notifications.show({
        color: 'red',
        message: error instanceof Error ? error.message : "Couldn't end the session",
      })
    } finally {
      setBusy(false)
    }
  }

  return (
    <Group justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap" align="flex-start" miw={0}>
        <IconDeviceDesktop size={20} stroke={1.6} aria-hidden style={{ flex: 'none', marginTop: 2 }} />
        <Stack gap={2} miw={0}>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            {session.current && (
              <Badge size="sm" variant="light" color="teal" tt="none">
                This device
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed" component="div">
            {session.address !== null && `${session.address} · `}
            signed in <TimeText at={session.startedAt} /> · active <TimeText at={session.refreshedAt} since />
          </Text>
        </Stack>
      </Group>
      {!session.current && (
        <Button
          size="xs"
          variant="default"
          loading={busy}
          onClick={end}
          aria-label={`Sign out ${name}`}
          style={{ flexShrink: 0 }}
        >
          Sign out
        </Button>
      )}
    </Group>
  )
}
