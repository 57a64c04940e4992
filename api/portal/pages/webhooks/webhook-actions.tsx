import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { DeliveriesButton } from './deliveries-button.tsx'
import { WebhookSecret } from './webhook-secret.tsx'
import { WEBHOOKS_QUERY, type Webhook } from './webhook-types.ts'

/** Hours for which the earlier secret still signs. */
const OVERLAP_HOURS = 24

const DAY_MS = 86_400_000

/** What an admin can do with a webhook. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, label, state } = webhook
  const [secret, setSecret] = useState<string>()
  const client = useQueryClient()
  const params = { path: { id: String(id) } }
  const isEnabled = state !== 'disabled'
  const refresh = () => client.invalidateQueries({ queryKey: WEBHOOKS_QUERY })

  async function test() {
    await api.POST('/api/webhooks/v1/{id}/test', { params })
    notifications.show({
      title: 'Test sent',
      message: `The log of ${label} shows the answer.`,
      color: 'teal',
    })
  }

  async function rotate() {
    const { data } = await api.POST('/api/webhooks/v1/{id}/secrets', {
      params,
      body: { overlapHours: OVERLAP_HOURS },
    })
    await refresh()
    if (data) setSecret(data.secret)
  }

  async function replay() {
    const now = Date.now()
    const body = { since: new Date(now - DAY_MS).toISOString(), until: new Date(now).toISOString() }
    await api.POST('/api/webhooks/v1/{id}/replay', { params, body })
    await refresh()
  }

  async function change(enabled: boolean) {
    await api.PATCH('/api/webhooks/v1/{id}', { params, body: { enabled } })
    await refresh()
  }

  async function remove() {
    await api.DELETE('/api/webhooks/v1/{id}', { params })
    await refresh()
  }

  return (
    <Group justify="flex-end" gap="xs">
      <DeliveriesButton webhook={webhook} />
      {isEnabled && (
        <>
          <ConfirmButton
            size="xs"
            color="ink"
            title={`Test ${label}?`}
            question="Sends an event of type webhook.test to this webhook only."
            confirm="Send test"
            act={test}
            aria-label={`Test ${label}`}
          >
            Test
          </ConfirmButton>
          <ConfirmButton
            size="xs"
            color="ink"
            title={`Replay ${label}?`}
            question="Delivers the events of the last 24 hours again, with the same ids, beside new ones."
            confirm="Replay"
            act={replay}
            aria-label={`Replay ${label}`}
          >
            Replay
          </ConfirmButton>
          <ConfirmButton
            size="xs"
            color="ink"
            title={`Rotate the secret of ${label}?`}
            question={`Messages are signed by a new secret and, for ${OVERLAP_HOURS} hours, by the earlier one too.`}
            confirm="Rotate secret"
            act={rotate}
            aria-label={`Rotate the secret of ${label}`}
          >
            Rotate
          </ConfirmButton>
        </>
      )}
      <ConfirmButton
        size="xs"
        color="ink"
        title={isEnabled ? `Disable ${label}?` : `Enable ${label}?`}
        question={
          isEnabled
            ? 'Delivers nothing until it is enabled again.'
            : 'Delivers events again, including those recorded while it was disabled and still stored.'
        }
        confirm={isEnabled ? 'Disable' : 'Enable'}
        act={() => change(!isEnabled)}
        aria-label={`${isEnabled ? 'Disable' : 'Enable'} ${label}`}
      >
        {isEnabled ? 'Disable' : 'Enable'}
      </ConfirmButton>
      <ConfirmButton
        size="xs"
        title={`Delete ${label}?`}
        question="Its secrets and its log are deleted too."
        confirm="Delete webhook"
        act={remove}
        aria-label={`Delete ${label}`}
      >
        Delete
      </ConfirmButton>
      <Modal
        opened={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title={`New secret of ${label}`}
        size="lg"
        centered
        closeOnClickOutside={false}
        closeOnEscape={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text size="sm">Put it into the receiver within {OVERLAP_HOURS} hours.</Text>
          {secret !== undefined && <WebhookSecret value={secret} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setSecret(undefined)}>
              I have copied the secret
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Group>
  )
}
