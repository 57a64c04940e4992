import { Alert, Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconInfoCircle } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { Navigate, useLocation, useSearchParams } from 'react-router'
import { ApiProblem, type SecondFactor } from '../../client/api-problem.ts'
import { hasPasskeys } from '../../client/passkeys.ts'
import { useSession } from '../../client/session.tsx'
import { useCountdown } from '../../parts/use-countdown.ts'
import { NarrowForm } from '../../shell/narrow-form.tsx'
import { NarrowPage } from '../../shell/narrow-page.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { SignInError } from './sign-in-error.tsx'

/** Path of the next page; only paths of this portal are allowed. */
const pathOf = (next: string | null) => (next !== null && /^\/(?![/\\])/.test(next) ? next : '/datasets')

const REASONS: Readonly<Record<string, string>> = {
  idle: 'You were signed out due to inactivity. Sign in to continue.',
  expired: 'Your session has ended. Sign in to continue.',
}

/** A factor that is asked for after a sign-in at a provider, in the fragment. */
const AFTER_SSO: SecondFactor = { challenge: '', factors: [] }

const ChooseSubscription = lazy(async () => ({
  default: (await import('./choose-subscription.tsx')).ChooseSubscription,
}))
const SsoOutcome = lazy(async () => ({
  default: (await import('../../parts/sso-outcome.tsx')).SsoOutcome,
}))
const SsoStep = lazy(async () => ({ default: (await import('./sso-step.tsx')).SsoStep }))
const SecondFactorStep = lazy(async () => ({
  default: (await import('./second-factor-step.tsx')).SecondFactorStep,
}))

/** Signs in; with the query parameter `subscription`, to that subscription only. */
export function SignInPage() {
  const { user, signIn } = useSession()
  const [params] = useSearchParams()
  const { hash } = useLocation()
  const [error, setError] = useState<unknown>()
  const [choices, setChoices] = useState<readonly string[]>([])
  const sso = params.get('sso')
  const [second, setSecond] = useState<SecondFactor | undefined>(sso === 'factor' ? AFTER_SSO : undefined)
  const [bySso, setBySso] = useState(sso === 'choose')
  const [waitSeconds, startWaiting] = useCountdown()
  const named = params.get('subscription')
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { userEmail: '', password: '', subscription: named ?? '' },
  })

  if (user) return <Navigate to={pathOf(params.get('next')) + (sso === null ? hash : '')} replace />

  async function attempt({ subscription, ...credentials }: ReturnType<typeof form.getValues>) {
    try {
      await signIn({ ...credentials, ...(subscription !== '' && { subscription }) })
      setError(undefined)
    } catch (problem) {
      const isProblem = problem instanceof ApiProblem
      const names = isProblem ? problem.subscriptions.map(({ name }) => name) : []
      const asked = isProblem ? problem.secondFactor : undefined
      setChoices(names)
      setSecond(asked)
      setError(names.length > 0 || asked ? undefined : problem)
      if (isProblem && problem.retryAfterSeconds !== undefined) startWaiting(problem.retryAfterSeconds)
    }
  }

  if (second)
    return (
      <NarrowPage title="Confirm that it's you">
        <Suspense>
          <SecondFactorStep
            asked={second === AFTER_SSO ? hash : second}
            onFailed={(problem) => {
              setSecond(undefined)
              setError(problem)
            }}
          />
        </Suspense>
      </NarrowPage>
    )

  const outcome = sso !== null && sso !== 'done' && sso !== 'factor' && (
    <Suspense>
      <SsoOutcome outcome={sso} />
    </Suspense>
  )
  if (bySso)
    return (
      <NarrowPage title="Single sign-on">
        {outcome}
        <Suspense>
          <SsoStep
            email={form.getValues().userEmail}
            domain={params.get('domain')}
            next={params.get('next')}
            onBack={() => setBySso(false)}
          />
        </Suspense>
      </NarrowPage>
    )

  if (choices.length > 0)
    return (
      <NarrowPage title="Choose a subscription">
        <Suspense>
          <ChooseSubscription
            names={choices}
            busy={form.submitting}
            onChoose={(subscription) => form.onSubmit((values) => attempt({ ...values, subscription }))()}
            onBack={() => setChoices([])}
          />
        </Suspense>
      </NarrowPage>
    )

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
        ) : outcome ? (
          outcome
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
        {named !== null && (
          <TextInput
            label="Subscription"
            key={form.key('subscription')}
            {...form.getInputProps('subscription')}
          />
        )}
      </NarrowForm>
      {hasPasskeys() && <PasskeyButton onFailed={setError} />}
      <Button variant="default" fullWidth onClick={() => setBySso(true)}>
        Use single sign-on
      </Button>
    </NarrowPage>
  )
}
