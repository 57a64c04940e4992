import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ApiProblem } from '../../client/api-problem.ts'

const TITLES: Readonly<Record<string, string>> = {
  invalid_credentials: 'Wrong e-mail or password',
  subscription_suspended: 'Your subscription is suspended',
  rate_limited: 'Too many attempts',
  cookies_refused: 'You are not logged in',
}

const TEXTS: Readonly<Record<string, string>> = {
  invalid_credentials:
    'Check both and try again. An admin of your subscription can make a link for you to set a new password.',
}

/** As in "2 min 5 s". */
const durationOf = (seconds: number) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`

/** Why nobody was logged in, and what to do. */
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
      {title === 'rate_limited'
        ? waitSeconds > 0
          ? `Somebody tried wrong passwords. Try again in ${durationOf(waitSeconds)}.`
          : 'You can try again now.'
        : (TEXTS[title] ?? problem?.message ?? 'Something went wrong in this page; reload it and try again')}
    </Alert>
  )
}
