import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useCallback } from 'react'
import { useSession, useUser } from '../client/session.tsx'
import { useIdle } from '../client/use-idle.ts'

const clock = (seconds: number) =>
  seconds >= 60
    ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} minutes`
    : `${seconds} seconds`

/** Logs out who is away, and asks before. */
export function IdleWarning() {
  const { idleSeconds } = useUser()
  const { signOut } = useSession()
  const leave = useCallback(() => void signOut('idle'), [signOut])
  const { seconds, stay } = useIdle(idleSeconds, leave)
  return (
    <Modal
      opened={seconds !== undefined}
      onClose={stay}
      title="Are you still there?"
      centered
      closeButtonProps={{ 'aria-label': 'Stay logged in' }}
    >
      <Stack>
        <Text size="sm">
          Nobody has used the portal for a while. You will be logged out in{' '}
          <Text span fw={600} role="timer">
            {clock(seconds ?? 0)}
          </Text>
          .
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => void signOut()}>
            Log out
          </Button>
          <Button onClick={stay} data-autofocus>
            Stay logged in
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
