import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CreateKeyForm } from './create-key-form.tsx'
import { CreatedKey } from './created-key.tsx'
import { KEYS_QUERY } from './keys-query.ts'

/** Makes a key and shows it once; it is nowhere else, and gone when the dialog is closed. */
export function CreateKeyDialog({ opened, close }: { opened: boolean; close: () => void }) {
  const [shown, setShown] = useState<{ key: string; label: string }>()
  const client = useQueryClient()
  const done = () => {
    setShown(undefined)
    close()
  }
  return (
    <Modal
      opened={opened}
      onClose={done}
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
          <CreatedKey value={shown.key} />
          <Group justify="flex-end">
            <Button variant="default" onClick={done}>
              I have copied it
            </Button>
          </Group>
        </Stack>
      ) : (
        <CreateKeyForm
          onCancel={done}
          onCreated={({ key, label }) => {
            setShown({ key, label })
            void client.invalidateQueries({ queryKey: KEYS_QUERY })
          }}
        />
      )}
    </Modal>
  )
}
