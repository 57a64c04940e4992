import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

/** Title and explanation. */
const OUTCOMES = {
  unknown: [
    'No single sign-on found',
    'Check the e-mail or the link, or ask an admin of your subscription for the link.',
  ],
  choose: ['Name your subscription', 'Several subscriptions have users with this e-mail domain.'],
  suspended: ['Your subscription is suspended', 'Contact the operator of this service.'],
  unavailable: [
    'The sign-in of your organisation is not reachable',
    'Try again later, or tell an admin of your subscription.',
  ],
  invalid: [
    'The answer of your organisation is not valid',
    'You are not signed in. Tell an admin of your subscription: the audit log has the reason.',
  ],
  expired: [
    'Sign in again',
    'The sign-in took more than 10 minutes, was used before, or began in another browser.',
  ],
  denied: [
    'You are not signed in',
    'Your organisation or this subscription gives you no access. Ask an admin of your subscription: the audit log has the reason.',
  ],
} as const

/** What became of a sign-in at a provider, as the service says in the address of the page. */
export function SsoOutcome({ outcome }: { outcome: string }) {
  const known = Object.hasOwn(OUTCOMES, outcome) ? outcome : 'denied'
  const [title, text] = OUTCOMES[known as keyof typeof OUTCOMES]
  return (
    <Alert
      color={known === 'choose' ? 'blue' : 'red'}
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={title}
      role="alert"
    >
      {text}
    </Alert>
  )
}
