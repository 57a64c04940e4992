import { Alert, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconClockExclamation } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { countText } from '../../parts/formats.ts'

/** Shown while datasets wait too long: what that means, and a button that tells workers again. */
export function OverdueAlert({ overdue, atLeast }: { overdue: number; atLeast: boolean }) {
  const client = useQueryClient()
  if (overdue === 0) return null

  async function retry() {
    const { data } = await api.POST('/api/pipeline/v1/retry')
    notifications.show(
      data?.heard
        ? { color: 'teal', message: `Workers were told of ${countText(data.datasets)} datasets` }
        : {
            color: 'orange',
            message: 'The queue is away. Nothing is lost: workers hear of them once it is back',
          },
    )
    await client.invalidateQueries({ queryKey: ['get', '/api/pipeline/v1'] })
  }

  const many = countText(overdue, atLeast)
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconClockExclamation aria-hidden />}
      title={overdue === 1 ? '1 dataset waits too long' : `${many} datasets wait too long`}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          They wait for more than 15 seconds. Either more comes in than workers can do, or no worker runs.
          They are tried again by themselves and nothing is lost; if this lasts, ask whoever operates this
          service.
        </Text>
        <AdminOnly>
          <ConfirmButton
            size="xs"
            title="Retry now?"
            question="Workers are told at once of what waits too long, up to 5,000 datasets at a time. Nothing is processed twice."
            confirm="Retry now"
            color="ink"
            act={retry}
          >
            Retry now
          </ConfirmButton>
        </AdminOnly>
      </Stack>
    </Alert>
  )
}
