import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { countText } from '../../parts/formats.ts'

/** Has all invalid datasets processed again, or those of one reason; says how many there were. */
export function ReprocessButton({
  reason,
  datasets,
}: {
  reason?: string
  /** As in 12 or 10,000+. */
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
      message: `${countText(requeued)} ${requeued === 1 ? 'dataset is' : 'datasets are'} reprocessed${
        withoutData > 0 ? `; the data of ${countText(withoutData)} was removed before` : ''
      }`,
    })
    await client.invalidateQueries({ queryKey: ['get', '/api/pipeline/v1'] })
  }

  const which = reason === undefined ? 'all invalid datasets' : `datasets invalid for ${reason}`
  return (
    <ConfirmButton
      size="xs"
      title={`Reprocess ${which}?`}
      question={
        queued !== undefined
          ? `${countText(queued)} of ${datasets} queued`
          : `${datasets} invalid ${datasets === '1' ? 'dataset is' : 'datasets are'} read again, after new uploads. That helps once the issue is fixed, as by an update of this service; data that is still wrong becomes invalid again. Velocity counts won't change.`
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

/** Goes on until there is no more; a call looks at some thousands. */
async function reprocessInvalid(
  reason: string | undefined,
  tell: (requeued: number) => void,
): Promise<{ requeued: number; withoutData: number }> {
  const sum = { requeued: 0, withoutData: 0 }
  let cursor: string | null | undefined
  do {
    const answer = await api.POST('/api/pipeline/v1/reprocess', {
      body: { status: 'invalid', ...(reason !== undefined && { reason }), ...(cursor && { cursor }) },
    })
    sum.requeued += answer.data?.requeued ?? 0
    sum.withoutData += answer.data?.withoutData ?? 0
    tell(sum.requeued)
    cursor = answer.data?.next
  } while (cursor)
  return sum
}
