import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorState } from './error-state.tsx'

/** Asks before something is done, does it, and stays open with the reason when that fails. */
export function ConfirmDialog({
  opened,
  close,
  title,
  question,
  confirm,
  act,
  color,
}: {
  opened: boolean
  close: () => void
  title: string
  question: ReactNode
  /** On the button that does it. */
  confirm: string
  act: () => Promise<unknown>
  color: string
}) {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })

  async function confirmed() {
    setState({ busy: true })
    try {
      await act()
      leave()
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  function leave() {
    setState({ busy: false })
    close()
  }

  return (
    <Modal
      opened={opened}
      onClose={leave}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm" component="div">
          {question}
        </Text>
        {state.error !== undefined && <ErrorState error={state.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={leave} data-autofocus>
            Cancel
          </Button>
          <Button color={color} loading={state.busy} onClick={confirmed}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
