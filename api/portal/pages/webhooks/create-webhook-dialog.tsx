import { Button, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { EVENT_TYPES, type EventType } from '../../../../db/events/event-types.ts'
import { api } from '../../client/api.ts'
import { listFieldErrors } from '../../client/api-problem.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { WebhookSecret } from './webhook-secret.tsx'
import { WEBHOOKS_QUERY } from './webhook-types.ts'

/** Creates a webhook and shows its secret until the dialog is closed. */
export function CreateWebhookDialog({ opened, close }: { opened: boolean; close: () => void }) {
  const [secret, setSecret] = useState<string>()
  const done = () => {
    setSecret(undefined)
    close()
  }
  return (
    <Modal
      opened={opened}
      onClose={done}
      title={secret === undefined ? 'Create webhook' : 'Your new webhook'}
      size="lg"
      centered
      // prevents losing the secret by accident
      closeOnClickOutside={secret === undefined}
      closeOnEscape={secret === undefined}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {secret === undefined ? (
        <CreateForm onCreated={setSecret} onCancel={done} />
      ) : (
        <Stack>
          <WebhookSecret value={secret} />
          <Group justify="flex-end">
            <Button variant="default" onClick={done}>
              I have copied the secret
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function CreateForm({ onCreated, onCancel }: { onCreated: (secret: string) => void; onCancel: () => void }) {
  const [error, setError] = useState<unknown>()
  const client = useQueryClient()
  const form = useForm<{ label: string; url: string; types: EventType[] }>({
    initialValues: { label: '', url: '', types: [] },
  })

  async function create(body: { label: string; url: string; types: EventType[] }) {
    setError(undefined)
    try {
      const { data } = await api.POST('/api/webhooks/v1', { body })
      await client.invalidateQueries({ queryKey: WEBHOOKS_QUERY })
      if (data) onCreated(data.secret)
    } catch (problem) {
      const errors = listFieldErrors(problem)
      form.setErrors(Object.fromEntries(errors))
      if (errors.length === 0) setError(problem)
    }
  }

  return (
    <form onSubmit={form.onSubmit(create)} noValidate>
      <Stack gap="lg">
        <TextInput
          label="Label"
          description="Purpose of the webhook; also its name in the audit log."
          placeholder="Loan backend"
          required
          data-autofocus
          {...form.getInputProps('label')}
        />
        <TextInput
          label="URL"
          description="Where events are sent by POST."
          placeholder="https://backend.example/hooks"
          required
          spellCheck={false}
          {...form.getInputProps('url')}
        />
        <MultiSelect
          label="Events"
          description="Types that it receives; all if none is chosen."
          data={Object.keys(EVENT_TYPES)}
          {...form.getInputProps('types')}
        />
        {error !== undefined && <ErrorState error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            Create webhook
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
