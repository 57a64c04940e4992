import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api } from '../client/api.ts'
import type { components } from '../client/openapi.d.ts'
import { ErrorState } from './error-state.tsx'

type AddedFactor = components['schemas']['AddedFactor']

/** Adds a passkey of this device, a telephone or a security key. */
export function AddPasskey({
  onAdded,
  cancel,
}: {
  onAdded: (added: AddedFactor) => void
  cancel: () => void
}) {
  const [error, setError] = useState<unknown>()
  const form = useForm({ initialValues: { name: 'Passkey' } })

  async function add({ name }: { name: string }) {
    setError(undefined)
    try {
      const { data: started } = await api.POST('/api/account/v1/factors/passkey')
      if (!started) return
      const { createPasskey } = await import('./call-passkeys.ts')
      const passkey = await createPasskey(started.options)
      const { data } = await api.POST('/api/account/v1/factors', {
        body: { challenge: started.challenge, name, passkey },
      })
      if (data) onAdded(data)
    } catch (problem) {
      setError(problem)
    }
  }

  return (
    <form onSubmit={form.onSubmit(add)} noValidate>
      <Stack>
        {error !== undefined && <ErrorState error={error} />}
        <Text size="sm">
          Your browser asks you to unlock this device, a telephone or a security key. The passkey then also
          signs you in without a password.
        </Text>
        <TextInput label="Name" required maxLength={60} data-autofocus {...form.getInputProps('name')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            Create passkey
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
