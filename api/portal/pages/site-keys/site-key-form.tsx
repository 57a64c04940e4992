import { Button, Checkbox, Group, NumberInput, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { listFieldErrors } from '../../client/api-problem.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { SITE_KEY_LEVEL_LABELS } from '../../parts/labels.ts'
import { LEVEL_TEXTS } from './level-texts.ts'
import { errorsByField, findErrors, parseValues, type SiteKeyValues } from './site-key-values.ts'

/** The form of a site key; errors of the API are shown beside their fields. */
export function SiteKeyForm({
  initial,
  onChange,
  withLevel = false,
  action,
  submit,
  onCancel,
}: {
  initial: SiteKeyValues
  onChange?: (values: SiteKeyValues) => void
  /** Whether the level can be chosen; it never changes afterwards. */
  withLevel?: boolean
  /** Label of the button that submits. */
  action: string
  submit: (request: ReturnType<typeof parseValues>) => Promise<void>
  onCancel: () => void
}) {
  const [error, setError] = useState<unknown>()
  const form = useForm<SiteKeyValues>({
    initialValues: initial,
    ...(onChange && { onValuesChange: onChange }),
    validate: findErrors,
  })

  async function send(values: SiteKeyValues) {
    setError(undefined)
    try {
      await submit(parseValues(values))
    } catch (problem) {
      const errors = listFieldErrors(problem)
      form.setErrors(errorsByField(values, errors))
      if (errors.length === 0) setError(problem)
    }
  }

  return (
    <form onSubmit={form.onSubmit(send)} noValidate>
      <Stack gap="lg">
        <TextInput
          label="Label"
          description="Purpose of the key; also its name in the audit log."
          placeholder="Shop"
          required
          data-autofocus
          {...form.getInputProps('label')}
        />
        <Textarea
          label="Origins"
          description="Pages that may use the key: scheme, host and port, one per line. They stop other pages, not programs, which can send any origin."
          placeholder="https://shop.example"
          required
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          {...form.getInputProps('origins')}
        />
        {withLevel && (
          <Radio.Group label="Level" required {...form.getInputProps('level')}>
            <Stack gap="sm" mt={6}>
              {Object.entries(LEVEL_TEXTS).map(([value, text]) => (
                <Radio
                  key={value}
                  value={value}
                  label={SITE_KEY_LEVEL_LABELS[value as keyof typeof LEVEL_TEXTS]}
                  description={text}
                />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <Checkbox
          label="Graphics module"
          description="Pages may load the module that reads canvas, audio and fonts. Off by default."
          {...form.getInputProps('graphics', { type: 'checkbox' })}
        />
        <NumberInput
          label="Collections per day"
          description="Further ones are rejected until midnight UTC."
          min={1}
          allowDecimal={false}
          thousandSeparator=","
          required
          {...form.getInputProps('maxCollectionsPerDay')}
        />
        {error !== undefined && <ErrorState error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
