import {
  Button,
  Checkbox,
  Group,
  NumberInput,
  Radio,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { listFieldErrors } from '../../client/api-problem.ts'
import { useDraft } from '../../client/use-draft.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { errorsByField, findErrors, KeyDraft, NEW_KEY, parseValues } from './key-draft.ts'
import { KEY_CHOICES, KEY_SCOPE_TEXTS } from './key-roles.ts'

const CUSTOM = 'custom'

const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: CUSTOM, label: 'In a custom number of days' },
  { value: 'never', label: 'Never' },
]

const isRole = (value: string): value is KeyDraft['role'] => value in KEY_CHOICES

const expiryOf = ({ expiresInDays }: KeyDraft): string =>
  EXPIRIES.find(({ value }) => value === String(expiresInDays))?.value ?? CUSTOM

/** The form for a new key. */
export function CreateKeyForm({
  onCreated,
  onCancel,
}: {
  onCreated: (created: { id: number; key: string; label: string }) => void
  onCancel: () => void
}) {
  const draft = useDraft('key', KeyDraft)
  const [expiry, setExpiry] = useState(expiryOf(draft.initial ?? NEW_KEY))
  const [error, setError] = useState<unknown>()
  const form = useForm<KeyDraft>({
    initialValues: draft.initial ?? NEW_KEY,
    onValuesChange: draft.save,
    validate: findErrors,
  })

  async function create(values: KeyDraft) {
    setError(undefined)
    try {
      const { data } = await api.POST('/api/keys/v1', { body: parseValues(values) })
      draft.remove()
      if (data) onCreated({ ...data, label: values.label.trim() })
    } catch (problem) {
      const errors = listFieldErrors(problem)
      form.setErrors(errorsByField(values, errors))
      if (errors.length === 0) setError(problem)
    }
  }

  const chooseExpiry = (value: string) => {
    setExpiry(value)
    form.setFieldValue('expiresInDays', value === CUSTOM ? 7 : value === 'never' ? value : Number(value))
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
            {Object.entries(KEY_CHOICES).map(([value, { label, text }]) => (
              <Radio key={value} value={value} label={label} description={text} />
            ))}
          </Stack>
        </Radio.Group>
        {form.values.role === 'scopes' && (
          <Checkbox.Group label="Scopes" required {...form.getInputProps('scopes')}>
            <Stack gap="sm" mt={6}>
              {Object.entries(KEY_SCOPE_TEXTS).map(([scope, text]) => (
                <Checkbox key={scope} value={scope} label={<code>{scope}</code>} description={text} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <Checkbox
          label="Test key"
          description="Reads and writes test data only, which is deleted after 7 days."
          checked={form.values.mode === 'test'}
          onChange={({ currentTarget }) =>
            form.setFieldValue('mode', currentTarget.checked ? 'test' : 'live')
          }
        />
        <Group align="flex-start" grow>
          <Select
            label="Expires"
            data={EXPIRIES}
            value={expiry}
            onChange={(value) => value !== null && chooseExpiry(value)}
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
        <Textarea
          label="Allowed networks"
          description="Addresses and networks that may use the key, one per line. Empty: all. They cannot be changed later."
          placeholder="203.0.113.0/24"
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          {...form.getInputProps('networks')}
        />
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
