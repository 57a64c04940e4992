import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { countText, pluralText } from '../../parts/formats.ts'

/** Reprocesses all invalid datasets or those of one error code, and reports their number. */
export function ReprocessButton({
  reason,
  datasets,
}: {
  reason?: string
  /** Formatted count: 12 or 10,000+. */
  datasets: string
}) {
  const client = useQueryClient()
  const [queued, setQueued] = useState<number>()

  async function reprocess() {
    const { requeued, withoutData } = await reprocessInvalid(reason, setQueued).finally(() =>
      setQueued(undefined),
    )
    notifications.show({
      color: 'teal',
      message: `Reprocessing ${pluralText(requeued, 'dataset')}${
        withoutData > 0 ? `; the data of ${countText(withoutData)} was already removed` : ''
      }`,
    })
    await client.invalidateQueries({ queryKey: ['get', '/api/pipeline/v1'] })
  }

  const which = reason === undefined ? 'all invalid datasets' : `datasets with ${reason}`
  return (
    <ConfirmButton
      size="xs"
      title={`Reprocess ${which}?`}
      question={
        queued !== undefined
          ? `${countText(queued)} of ${datasets} queued`
          : `${datasets} invalid ${datasets === '1' ? 'dataset' : 'datasets'} will be decoded again, after new uploads. Do this once the issue is fixed, for example by an update of this service; data that is still wrong stays invalid. Velocity counts won't change.`
      }
      confirm="Reprocess"
      color="ink"
      aria-label={reason === undefined ? 'Reprocess all' : `Reprocess: ${reason}`}
      act={reprocess}
    >
      {reason === undefined ? 'Reprocess all' : 'Reprocess'}
    </ConfirmButton>
  )
}

/** Repeats the request until all datasets are queued; one request covers some thousands. */
async function reprocessInvalid(
  reason: string | undefined,
  onProgress: (requeued: number) => void,
): Promise<{ requeued: number; withoutData: number }> {
  const sum = { requeued: 0, withoutData: 0 }
  let cursor: string | null | undefined
  do {
    const { data } = await api.POST('/api/pipeline/v1/reprocess', {
      body: { status: 'invalid', ...(reason !== undefined && { reason }), ...(cursor && { cursor }) },
    })
    sum.requeued += data?.requeued ?? 0
    sum.withoutData += data?.withoutData ?? 0
    onProgress(sum.requeued)
    cursor = data?.next
  } while (cursor)
  return sum
}
