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
  .object({ password: NewPassword, confirmation: z.string() })
  .refine(({ password, confirmation }) => password === confirmation, {
    path: ['confirmation'],
    message: 'Passwords do not match',
  })

/** The page of an invitation link. Its token follows `#`, which browsers never send to servers. */
export function InvitationPage() {
  const navigate = useNavigate()
  const { signIn } = useSession()
  const [token] = useState(() => location.hash.slice(1))
  const [error, setError] = useState<unknown>()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '', confirmation: '' },
    validate: schemaResolver(Passwords, { sync: true }),
  })
  const isInvalid = token === '' || (error instanceof ApiProblem && error.title === 'invalid_credentials')

  async function accept({ password }: { password: string }) {
    try {
      const { data } = await api.POST('/api/account/v1/invitation', { body: { token, password } })
      if (data) await signIn({ ...data, password })
      await navigate('/datasets', { replace: true })
    } catch (problem) {
      const faults = problem instanceof ApiProblem ? problem.errors.password : undefined
      if (faults) form.setErrors({ password: faults.join(', ') })
      else setError(problem)
    }
  }

  if (isInvalid)
    return (
      <NarrowPage title="This link is no longer valid">
        <Alert variant="light" color="orange" icon={<IconLinkOff aria-hidden />} role="alert">
          It was already used, was replaced by a newer one, or is older than 7 days. Ask an admin of your
          subscription for a new link.
        </Alert>
        <Anchor component={Link} to="/login" size="sm">
          Sign in with a password
        </Anchor>
      </NarrowPage>
    )
  return (
    <NarrowPage title="Set your password">
      <Text size="sm" c="dimmed">
        Use it to sign in from now on. Your current sessions end.
      </Text>
      <NarrowForm action="Set password and sign in" onSubmit={form.onSubmit(accept)} busy={form.submitting}>
        {error !== undefined && <ErrorState error={error} />}
        <NewPasswordInput key={form.key('password')} {...form.getInputProps('password')} />
        <PasswordInput
          label="Confirm password"
          required
          autoComplete="new-password"
          key={form.key('confirmation')}
          {...form.getInputProps('confirmation')}
        />
      </NarrowForm>
    </NarrowPage>
  )
}
