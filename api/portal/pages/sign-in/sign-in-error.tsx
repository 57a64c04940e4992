import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { ApiProblem } from '../../client/api-problem.ts'
import { countdownText } from '../../parts/use-countdown.ts'

const TITLES: Readonly<Record<string, string>> = {
  invalid_credentials: 'Wrong e-mail or password',
  subscription_suspended: 'Your subscription is suspended',
  rate_limited: 'Too many attempts',
  passkey_failed: "Couldn't use the passkey",
  challenge_invalid: 'Sign in again',
  sso_required: 'Use single sign-on',
  cookies_rejected: 'You are not signed in',
}

const TEXTS: Readonly<Record<string, string>> = {
  invalid_credentials:
    'Check both and try again. An admin of your subscription can send you a link to set a new password.',
}

const SsoLink = lazy(async () => ({ default: (await import('./sso-link.tsx')).SsoLink }))

/** Why the sign-in failed, and what to do. */
export function SignInError({ error, waitSeconds }: { error: unknown; waitSeconds: number }) {
  const problem = error instanceof ApiProblem ? error : undefined
  const title = problem?.title ?? ''
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={TITLES[title] ?? "Couldn't sign in"}
      role="alert"
    >
      {title === 'rate_limited' ? (
        waitSeconds > 0 ? (
          `Too many wrong passwords. Try again in ${countdownText(waitSeconds)}.`
        ) : (
          'You can try again now.'
        )
      ) : problem?.signInUrl !== undefined ? (
        <Suspense>
          <SsoLink href={problem.signInUrl} />
        </Suspense>
      ) : (
        (TEXTS[title] ?? problem?.message ?? 'This page has an error. Reload it and try again.')
      )}
    </Alert>
  )
}
