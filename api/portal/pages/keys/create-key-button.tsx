import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CreateKeyForm } from './create-key-form.tsx'
import { KEYS_QUERY } from './keys-query.ts'
import { ShownKey } from './shown-key.tsx'

/** What the dialog shows; the key is nowhere else, and gone when the dialog is closed. */
type Dialog = 'closed' | 'form' | { readonly key: string; readonly label: string }

/** Opens the dialog that makes a key and shows it once. */
export function CreateKeyButton() {
  const [dialog, setDialog] = useState<Dialog>('closed')
  const client = useQueryClient()
  const shown = typeof dialog === 'object' ? dialog : undefined
  const close = () => setDialog('closed')
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog('form')}>
        Create key
      </Button>
      <Modal
        opened={dialog !== 'closed'}
        onClose={close}
        title={shown ? 'Your new key' : 'Create an API key'}
        size="lg"
        centered
        // a key is not lost by a slip of the hand
        closeOnClickOutside={!shown}
        closeOnEscape={!shown}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown ? (
          <Stack>
            <Text size="sm">
              <b>{shown.label}</b> works from now on, as <code>Authorization: Bearer …</code>
            </Text>
            <ShownKey value={shown.key} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                I have copied it
              </Button>
            </Group>
          </Stack>
        ) : (
          <CreateKeyForm
            onCancel={close}
            onCreated={({ key, label }) => {
              setDialog({ key, label })
              void client.invalidateQueries({ queryKey: KEYS_QUERY })
            }}
          />
        )}
      </Modal>
    </>
  )
}
