import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useCallback } from 'react'
import { useSession, useUser } from '../client/session.tsx'
import { countdownText } from '../parts/use-countdown.ts'
import { useIdle } from './use-idle.ts'

/** Signs out an idle user, after a warning. */
export function IdleWarning() {
  const { idleSeconds } = useUser()
  const { signOut } = useSession()
  const signOutIdle = useCallback(() => void signOut('idle'), [signOut])
  const { seconds, stay } = useIdle(idleSeconds, signOutIdle)
  return (
    <Modal
      opened={seconds !== undefined}
      onClose={stay}
      title="Are you still there?"
      centered
      closeButtonProps={{ 'aria-label': 'Stay signed in' }}
    >
      <Stack>
        <Text size="sm">
          You have been inactive for a while. You will be signed out in{' '}
          <Text span fw={600} role="timer">
            {countdownText(seconds ?? 0)}
          </Text>
          .
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => void signOut()}>
            Sign out
          </Button>
          <Button onClick={stay} data-autofocus>
            Stay signed in
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
