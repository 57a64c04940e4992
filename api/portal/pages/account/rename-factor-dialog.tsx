import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ErrorState } from '../../parts/error-state.tsx'

export function RenameFactorDialog({
  factor: { id, name },
  opened,
  close,
  onRenamed,
}: {
  factor: { readonly id: string; readonly name: string }
  opened: boolean
  close: () => void
  onRenamed: () => void
}) {
  const [error, setError] = useState<unknown>()
  const form = useForm({ initialValues: { name } })

  async function rename(body: { name: string }) {
    setError(undefined)
    try {
      await api.PATCH('/api/account/v1/factors/{id}', { params: { path: { id } }, body })
      close()
      onRenamed()
    } catch (problem) {
      setError(problem)
    }
  }

  return (
    <Modal
      opened={opened}
      onClose={close}
      title={`Rename ${name}`}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={form.onSubmit(rename)} noValidate>
        <Stack>
          {error !== undefined && <ErrorState error={error} />}
          <TextInput label="Name" required maxLength={60} data-autofocus {...form.getInputProps('name')} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting} disabled={form.values.name.trim() === ''}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
