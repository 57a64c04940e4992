import { Button, Group, PasswordInput, Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { listFieldErrors } from '../../client/api-problem.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { DEFAULT_ROLE_LABELS, optionsOf } from '../../parts/labels.ts'
import {
  errorsByField,
  findErrors,
  parseValues,
  type SsoState,
  type SsoValues,
  valuesOf,
} from './sso-values.ts'

/** The settings of single sign-on, in a form that changes them. */
export function SsoForm({
  connection,
  onSaved,
}: {
  connection: SsoState['connection']
  onSaved: () => void
}) {
  const [error, setError] = useState<unknown>()
  const form = useForm<SsoValues>({ initialValues: valuesOf(connection), validate: findErrors })

  async function save(values: SsoValues) {
    setError(undefined)
    try {
      const { data } = await api.PUT('/api/sso/v1', { body: parseValues(values) })
      const saved = valuesOf(data?.connection ?? null)
      form.setValues(saved)
      form.resetDirty(saved)
      notifications.show({ color: 'teal', message: 'Single sign-on saved' })
      onSaved()
    } catch (problem) {
      const errors = listFieldErrors(problem)
      form.setErrors(errorsByField(errors))
      if (errors.length === 0) setError(problem)
    }
  }

  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack gap="lg" maw={560}>
        <TextInput
          label="Issuer"
          description="Address of the OpenID provider, as it names itself. It is called when you save."
          placeholder="https://login.lender.example"
          required
          {...form.getInputProps('issuer')}
        />
        <TextInput label="Client id" required {...form.getInputProps('clientId')} />
        <PasswordInput
          label="Client secret"
          description="Stored encrypted, and never shown."
          placeholder={connection ? 'Unchanged' : ''}
          required={!connection}
          autoComplete="off"
          {...form.getInputProps('clientSecret')}
        />
        <Textarea
          label="E-mail domains"
          description="Domains of your users, one per line."
          placeholder="lender.example"
          required
          autosize
          minRows={1}
          maxRows={6}
          spellCheck={false}
          {...form.getInputProps('domains')}
        />
        <TextInput
          label="Claim for the role"
          description="Claim whose values give a role, at each sign-in; a path such as realm_access.roles leads into objects. Empty: admins set roles here."
          placeholder="groups"
          {...form.getInputProps('roleClaim')}
        />
        <Textarea
          label="Roles by value"
          description="One per line. Of several values of a user, admin wins."
          placeholder="risk-admins = admin"
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          {...form.getInputProps('roles')}
        />
        <TextInput
          label="Further scopes"
          description="Requested besides openid and email, separated by spaces; some providers need one for the claim."
          placeholder="groups"
          {...form.getInputProps('scopes')}
        />
        <Radio.Group
          label="Role of users without such a value"
          description="Also of new users where roles are not taken from a claim."
          {...form.getInputProps('defaultRole')}
        >
          <Group mt="xs">
            {optionsOf(DEFAULT_ROLE_LABELS).map(({ value, label }) => (
              <Radio key={value} value={value} label={label} />
            ))}
          </Group>
        </Radio.Group>
        <Switch
          label="Create users at their first sign-in"
          description="Otherwise, only users that exist here sign in."
          {...form.getInputProps('createsUsers', { type: 'checkbox' })}
        />
        <Switch
          label="Trust e-mails that the provider does not call verified"
          description="For providers that never send email_verified, such as Entra ID. Only for a provider of your organisation alone."
          {...form.getInputProps('trustsEmails', { type: 'checkbox' })}
        />
        <Switch
          label="The provider checks second factors"
          description="Each sign-in counts as one with a second factor. Otherwise it does if the provider says so (amr, acr)."
          {...form.getInputProps('trustsFactors', { type: 'checkbox' })}
        />
        <Switch
          label="Allow passwords and passkeys"
          description="Whether users of the domains may also sign in by these. Before you switch them off, sign in by single sign-on once, with the settings as they are. This ends their other sessions."
          {...form.getInputProps('passwordLogin', { type: 'checkbox' })}
        />
        {error !== undefined && <ErrorState error={error} />}
        <Group>
          <Button type="submit" loading={form.submitting} disabled={!form.isDirty()}>
            Save single sign-on
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
