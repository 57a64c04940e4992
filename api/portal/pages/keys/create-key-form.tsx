import { Button, Group, NumberInput, Radio, Select, Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useState } from 'react'
import { NewKey } from '../../../keys/key-schemas.ts'
import { api } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import type { components } from '../../client/openapi.d.ts'
import { useDraft } from '../../client/use-draft.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { KeyDraft } from './key-draft.ts'
import { KEY_ROLES } from './key-roles.ts'

type KeyRequest = components['schemas']['NewKey']

const CUSTOM = 'custom'

const EXPIRIES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: CUSTOM, label: 'In a custom number of days' },
]

const isRole = (value: string): value is KeyRequest['role'] => value in KEY_ROLES

/** The form for a new key. */
export function CreateKeyForm({
  onCreated,
  onCancel,
}: {
  onCreated: (created: { id: number; key: string; label: string }) => void
  onCancel: () => void
}) {
  const draft = useDraft('key', KeyDraft)
  const [expiry, setExpiry] = useState(draft.initial?.expiresInDays === undefined ? '' : CUSTOM)
  const [error, setError] = useState<unknown>()
  const form = useForm<KeyRequest>({
    initialValues: draft.initial ?? { label: '', role: 'uploader' },
    onValuesChange: draft.save,
    validate: schemaResolver(NewKey, { sync: true }),
  })

  async function create(body: KeyRequest) {
    setError(undefined)
    try {
      const { data } = await api.POST('/api/keys/v1', { body })
      draft.remove()
      if (data) onCreated({ ...data, label: body.label.trim() })
    } catch (problem) {
      const errors = problem instanceof ApiProblem ? problem.errors : {}
      form.setErrors(
        Object.fromEntries(Object.entries(errors).map(([name, texts]) => [name, texts.join('; ')])),
      )
      if (Object.keys(errors).length === 0) setError(problem)
    }
  }

  const chooseExpiry = (value: string) => {
    setExpiry(value)
    form.setFieldValue('expiresInDays', value === '' ? undefined : value === CUSTOM ? 7 : Number(value))
  }

  return (
    <form onSubmit={form.onSubmit(create)} noValidate>
      <Stack gap="lg">
        <TextInput
          label="Label"
          description="Purpose of the key; also its name in the audit log."
          placeholder="Loan backend, production"
          required
          data-autofocus
          {...form.getInputProps('label')}
        />
        <Radio.Group
          label="Role"
          required
          value={form.values.role}
          onChange={(value) => isRole(value) && form.setFieldValue('role', value)}
        >
          <Stack gap="sm" mt={6}>
            {Object.entries(KEY_ROLES).map(([value, { label, text }]) => (
              <Radio key={value} value={value} label={label} description={text} />
            ))}
          </Stack>
        </Radio.Group>
        <Group align="flex-start" grow>
          <Select
            label="Expires"
            data={EXPIRIES}
            value={expiry}
            onChange={(value) => chooseExpiry(value ?? '')}
            allowDeselect={false}
            comboboxProps={{ withinPortal: true }}
          />
          {expiry === CUSTOM && (
            <NumberInput
              label="Days"
              min={1}
              allowDecimal={false}
              required
              {...form.getInputProps('expiresInDays')}
            />
          )}
        </Group>
        {error !== undefined && <ErrorState error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
