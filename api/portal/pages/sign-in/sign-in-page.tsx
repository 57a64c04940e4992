import { Alert, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconInfoCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { Navigate, useLocation, useSearchParams } from 'react-router'
import { ApiProblem } from '../../client/api-problem.ts'
import { useSession } from '../../client/session.tsx'
import { useCountdown } from '../../parts/use-countdown.ts'
import { NarrowForm } from '../../shell/narrow-form.tsx'
import { NarrowPage } from '../../shell/narrow-page.tsx'
import { SignInError } from './sign-in-error.tsx'

/** Path of the next page; only paths of this portal are allowed. */
const pathOf = (next: string | null) => (next !== null && /^\/(?![/\\])/.test(next) ? next : '/datasets')

const REASONS: Readonly<Record<string, string>> = {
  idle: 'You were signed out due to inactivity. Sign in to continue.',
  expired: 'Your session has ended. Sign in to continue.',
}

export function SignInPage() {
  const { user, signIn } = useSession()
  const [params] = useSearchParams()
  const { hash } = useLocation()
  const [error, setError] = useState<unknown>()
  const [waitSeconds, startWaiting] = useCountdown()
  const form = useForm({ mode: 'uncontrolled', initialValues: { userEmail: '', password: '' } })

  if (user) return <Navigate to={pathOf(params.get('next')) + hash} replace />

  async function attempt(credentials: { userEmail: string; password: string }) {
    try {
      await signIn(credentials)
      setError(undefined)
    } catch (problem) {
      setError(problem)
      if (problem instanceof ApiProblem && problem.retryAfterSeconds !== undefined)
        startWaiting(problem.retryAfterSeconds)
    }
  }

  const reason = REASONS[params.get('reason') ?? '']
  return (
    <NarrowPage title="Sign in">
      <NarrowForm
        action="Sign in"
        onSubmit={form.onSubmit(attempt)}
        busy={form.submitting}
        disabled={waitSeconds > 0}
      >
        {error !== undefined ? (
          <SignInError error={error} waitSeconds={waitSeconds} />
        ) : (
          reason !== undefined && (
            <Alert variant="light" icon={<IconInfoCircle aria-hidden />} role="status">
              {reason}
            </Alert>
          )
        )}
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
      </NarrowForm>
    </NarrowPage>
  )
}
