import { Alert, Anchor, PasswordInput, Text } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { IconLinkOff } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { z } from 'zod'
import { NewPassword } from '../../../account/account-schemas.ts'
import { api } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import { useSession } from '../../client/session.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { NewPasswordInput } from '../../parts/new-password-input.tsx'
import { NarrowForm } from '../../shell/narrow-form.tsx'
import { NarrowPage } from '../../shell/narrow-page.tsx'

const Passwords = z
  .object({ password: NewPassword, again: z.string() })
  .refine(({ password, again }) => password === again, {
    path: ['again'],
    message: 'must be the same as above',
  })

/** Where the link of an invitation leads. Its token is behind `#`, which browsers send to nobody. */
export function InvitationPage() {
  const navigate = useNavigate()
  const { signIn } = useSession()
  const [token] = useState(() => location.hash.slice(1))
  const [error, setError] = useState<unknown>()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '', again: '' },
    validate: schemaResolver(Passwords, { sync: true }),
  })
  const isGone = token === '' || (error instanceof ApiProblem && error.title === 'invalid_credentials')

  async function accept({ password }: { password: string }) {
    try {
      const { data } = await api.POST('/api/account/v1/invitation', { body: { token, password } })
      if (data) await signIn({ userEmail: data.userEmail, password })
      await navigate('/datasets', { replace: true })
    } catch (problem) {
      setError(problem)
    }
  }

  if (isGone)
    return (
      <NarrowPage title="This link does not work">
        <Alert variant="light" color="orange" icon={<IconLinkOff aria-hidden />} role="alert">
          It was used, replaced by a newer one, or is older than 7 days. Ask an admin of your subscription for
          a new link.
        </Alert>
        <Anchor component={Link} to="/login" size="sm">
          Log in with a password
        </Anchor>
      </NarrowPage>
    )
  return (
    <NarrowPage title="Set your password">
      <Text size="sm" c="dimmed">
        You will log in with it from now on. All sessions that you may have are ended.
      </Text>
      <NarrowForm action="Set password and log in" onSubmit={form.onSubmit(accept)} busy={form.submitting}>
        {error !== undefined && <ErrorState error={error} />}
        <NewPasswordInput key={form.key('password')} {...form.getInputProps('password')} />
        <PasswordInput
          label="The same again"
          required
          autoComplete="new-password"
          key={form.key('again')}
          {...form.getInputProps('again')}
        />
      </NarrowForm>
    </NarrowPage>
  )
}
