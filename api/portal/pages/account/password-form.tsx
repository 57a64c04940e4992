import { Button, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { PasswordChange } from '../../../account/account-schemas.ts'
import { api, queries } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import { useUser } from '../../client/session.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { NewPasswordInput } from '../../parts/new-password-input.tsx'

export function PasswordForm() {
  const client = useQueryClient()
  const { email } = useUser()
  const [error, setError] = useState<unknown>()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { currentPassword: '', newPassword: '' },
    validate: schemaResolver(PasswordChange, { sync: true }),
  })

  async function change(body: { currentPassword: string; newPassword: string }) {
    setError(undefined)
    try {
      await api.POST('/api/account/v1/password', { body })
      form.reset()
      notifications.show({ color: 'teal', message: 'Password changed; your other sessions have ended' })
      await client.invalidateQueries(queries.queryOptions('get', '/api/account/v1/sessions'))
    } catch (problem) {
      const byPath = problem instanceof ApiProblem ? problem.errors : {}
      const errors = Object.entries(byPath).map(([path, messages]) => [path, messages.join(', ')])
      if (errors.length > 0) form.setErrors(Object.fromEntries(errors))
      else setError(problem)
    }
  }

  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="password-title">
      <Title order={2} id="password-title" mb={4}>
        Change password
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        This ends your other sessions.
      </Text>
      <form onSubmit={form.onSubmit(change)}>
        <Stack maw={400}>
          {error !== undefined && <ErrorState error={error} />}
          {/* for password managers */}
          <input type="email" value={email} autoComplete="username" readOnly hidden />
          <PasswordInput
            label="Current password"
            required
            autoComplete="current-password"
            key={form.key('currentPassword')}
            {...form.getInputProps('currentPassword')}
          />
          <NewPasswordInput key={form.key('newPassword')} {...form.getInputProps('newPassword')} />
          <Group>
            <Button type="submit" loading={form.submitting}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}
