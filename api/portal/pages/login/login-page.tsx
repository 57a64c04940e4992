import { Button, Center, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Navigate, useSearchParams } from 'react-router'
import { useSession } from '../../client/session.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { Logo } from '../../shell/logo.tsx'

/** Where to go on: a path of this portal, whatever the address says. */
const pathOf = (next: string | null) => (next !== null && /^\/(?![/\\])/.test(next) ? next : '/datasets')

export function LoginPage() {
  const { user, logIn } = useSession()
  const [params] = useSearchParams()
  const [error, setError] = useState<unknown>()
  const form = useForm({ mode: 'uncontrolled', initialValues: { userEmail: '', password: '' } })

  if (user) return <Navigate to={pathOf(params.get('next'))} replace />
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={380} gap="lg" align="center">
        <Logo size={36} />
        <Paper withBorder p="xl" w="100%" shadow="xs">
          <form
            onSubmit={form.onSubmit((credentials) =>
              logIn(credentials).then(() => setError(undefined), setError),
            )}
          >
            <Stack>
              <Title order={1} fz="h2">
                Log in
              </Title>
              {error !== undefined && <ErrorState error={error} />}
              <TextInput
                label="E-mail"
                type="email"
                required
                autoComplete="username"
                key={form.key('userEmail')}
                {...form.getInputProps('userEmail')}
              />
              <PasswordInput
                label="Password"
                required
                autoComplete="current-password"
                key={form.key('password')}
                {...form.getInputProps('password')}
              />
              <Button type="submit" loading={form.submitting} fullWidth>
                Log in
              </Button>
            </Stack>
          </form>
        </Paper>
      </Stack>
    </Center>
  )
}
