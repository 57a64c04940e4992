import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { NarrowForm } from '../../shell/narrow-form.tsx'

const START = '/api/account/v1/sso/start'

/** Leads to the provider of an e-mail's domain. The e-mail itself stays here: addresses are logged by routers. */
export function SsoStep({
  email,
  domain,
  next,
  onBack,
}: {
  email: string
  /** Domain of several subscriptions, of which the user names one. */
  domain: string | null
  next: string | null
  onBack: () => void
}) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email, subscription: '' },
    validate: {
      email: (value) => (domain !== null || /@[^@\s]+\s*$/.test(value) ? null : 'must be an e-mail address'),
    },
  })

  function start({ email: typed, subscription }: { email: string; subscription: string }) {
    const query = new URLSearchParams({ domain: domain ?? typed.trim().split('@').at(-1) ?? '' })
    if (subscription !== '') query.set('subscription', subscription.trim())
    if (next !== null) query.set('next', next)
    location.assign(`${START}?${query}`)
  }

  return (
    <>
      <NarrowForm action="Continue" onSubmit={form.onSubmit(start)} busy={form.submitting}>
        {domain === null ? (
          <TextInput
            label="E-mail"
            description="Its domain leads to the sign-in of your organisation."
            type="email"
            required
            autoFocus
            autoComplete="username"
            key={form.key('email')}
            {...form.getInputProps('email')}
          />
        ) : (
          <TextInput
            label="Subscription"
            description={`Name of your subscription, for ${domain}.`}
            required
            autoFocus
            key={form.key('subscription')}
            {...form.getInputProps('subscription')}
          />
        )}
      </NarrowForm>
      <Button variant="subtle" fullWidth onClick={onBack}>
        Back
      </Button>
    </>
  )
}
