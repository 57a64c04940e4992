import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { CreateKeyForm } from './create-key-form.tsx'
import { KEYS_QUERY } from './keys-query.ts'

/** Creates a key and shows it until the dialog is closed; it is stored nowhere else. */
export function CreateKeyDialog({ opened, close }: { opened: boolean; close: () => void }) {
  const [created, setCreated] = useState<{ key: string; label: string }>()
  const client = useQueryClient()
  const done = () => {
    setCreated(undefined)
    close()
  }
  return (
    <Modal
      opened={opened}
      onClose={done}
      title={created ? 'Your new key' : 'Create API key'}
      size="lg"
      centered
      // prevents losing the key by accident
      closeOnClickOutside={!created}
      closeOnEscape={!created}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {created ? (
        <Stack>
          <Text size="sm">
            <b>{created.label}</b> is active. Send it as <code>Authorization: Bearer …</code>
          </Text>
          <ShownOnce value={created.key} what="key" label="API key">
            It is not shown again: only its hash is stored. Keep it with your other secrets.
          </ShownOnce>
          <Group justify="flex-end">
            <Button variant="default" onClick={done}>
              I have copied the key
            </Button>
          </Group>
        </Stack>
      ) : (
        <CreateKeyForm
          onCancel={done}
          onCreated={({ key, label }) => {
            setCreated({ key, label })
            void client.invalidateQueries({ queryKey: KEYS_QUERY })
          }}
        />
      )}
    </Modal>
  )
}
