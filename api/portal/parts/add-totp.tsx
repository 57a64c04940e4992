import { Button, Code, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useState } from 'react'
import { api } from '../client/api.ts'
import { listFieldErrors } from '../client/api-problem.ts'
import type { components } from '../client/openapi.d.ts'
import { CopyButton } from './copy-button.tsx'
import { ErrorState } from './error-state.tsx'
import { QrCode } from './qr-code.tsx'

type AddedFactor = components['schemas']['AddedFactor']
type TotpStart = components['schemas']['TotpStart']

/** Adds an authenticator app: shows a new secret, and checks a code that the app makes of it. */
export function AddTotp({ onAdded, cancel }: { onAdded: (added: AddedFactor) => void; cancel: () => void }) {
  const [started, setStarted] = useState<TotpStart>()
  const [error, setError] = useState<unknown>()
  const form = useForm({ initialValues: { name: 'Authenticator app', totp: '' } })

  useEffect(() => {
    api.POST('/api/account/v1/factors/totp').then(({ data }) => setStarted(data), setError)
  }, [])

  async function add({ name, totp }: { name: string; totp: string }) {
    if (!started) return
    setError(undefined)
    try {
      const body = { challenge: started.challenge, name, totp: totp.trim() }
      const { data } = await api.POST('/api/account/v1/factors', { body })
      if (data) onAdded(data)
    } catch (problem) {
      const errors = listFieldErrors(problem)
      form.setErrors(Object.fromEntries(errors))
      if (errors.length === 0) setError(problem)
    }
  }

  return (
    <form onSubmit={form.onSubmit(add)} noValidate>
      <Stack>
        {error !== undefined && <ErrorState error={error} />}
        <Text size="sm">Scan this code with an authenticator app, or type the secret into it.</Text>
        {started ? (
          <Stack gap="xs" align="center">
            <QrCode text={started.uri} label="QR code with the secret" />
            <Group gap={4} wrap="nowrap">
              <Code style={{ overflowWrap: 'anywhere' }}>{started.secret}</Code>
              <CopyButton value={started.secret} what="secret" />
            </Group>
          </Stack>
        ) : (
          <Skeleton h={216} />
        )}
        <TextInput
          label="Code that the app shows"
          required
          data-autofocus
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={6}
          {...form.getInputProps('totp')}
        />
        <TextInput label="Name" required maxLength={60} {...form.getInputProps('name')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting} disabled={!started}>
            Add app
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
