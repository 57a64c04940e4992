import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorState } from './error-state.tsx'

/** Asks for confirmation, runs the action, and stays open with the error if it fails, or if the action returns `ask-again`. */
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
  /** Label of the button that runs the action. */
  confirm: string
  act: () => Promise<unknown>
  color: string
}) {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })

  async function run() {
    setState({ busy: true })
    try {
      if ((await act()) === 'ask-again') setState({ busy: false })
      else dismiss()
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  function dismiss() {
    setState({ busy: false })
    close()
  }

  return (
    <Modal
      opened={opened}
      onClose={dismiss}
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
          <Button variant="default" onClick={dismiss} data-autofocus>
            Cancel
          </Button>
          <Button color={color} loading={state.busy} onClick={run}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
