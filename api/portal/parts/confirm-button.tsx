import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { ErrorState } from './error-state.tsx'

/** A button that asks before it does what cannot be undone; shows in the dialog why it failed. */
export function ConfirmButton({
  children,
  title,
  question,
  confirm,
  act,
  color = 'red.9', // paler ones do not carry white text
  ...button
}: ButtonProps & {
  children: ReactNode
  title: string
  question: ReactNode
  /** On the button that does it. */
  confirm: string
  act: () => Promise<unknown>
}) {
  const [opened, { open, close }] = useDisclosure(false)
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })

  async function confirmed() {
    setState({ busy: true })
    try {
      await act()
      close()
      setState({ busy: false })
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {children}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
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
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button color={color} loading={state.busy} onClick={confirmed}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
