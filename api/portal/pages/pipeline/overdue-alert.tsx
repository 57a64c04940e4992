import { Alert, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconClockExclamation } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { countText, pluralText } from '../../parts/formats.ts'

/** Shown while datasets are overdue, with a button that enqueues them again. */
export function OverdueAlert({ overdue, atLeast }: { overdue: number; atLeast: boolean }) {
  const client = useQueryClient()
  if (overdue === 0) return null

  async function retry() {
    const { data } = await api.POST('/api/pipeline/v1/retry')
    notifications.show(
      data?.heard
        ? { color: 'teal', message: `Enqueued ${pluralText(data.datasets, 'dataset')} again` }
        : {
            color: 'orange',
            message: 'The queue is unavailable. No data is lost: the datasets are enqueued once it is back',
          },
    )
    await client.invalidateQueries({ queryKey: ['get', '/api/pipeline/v1'] })
  }

  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconClockExclamation aria-hidden />}
      title={`${overdue === 1 ? '1 dataset is' : `${countText(overdue, atLeast)} datasets are`} overdue`}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          Waiting for more than 15 seconds: the workers are overloaded, or none is running. The datasets are
          retried automatically and no data is lost. If this persists, contact the operator of this service.
        </Text>
        <AdminOnly>
          <ConfirmButton
            size="xs"
            title="Retry now?"
            question="Enqueues up to 5,000 overdue datasets again. None is processed twice."
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
