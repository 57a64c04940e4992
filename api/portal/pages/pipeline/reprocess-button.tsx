import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
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

  async function reprocess() {
    const { requeued, withoutData } = await reprocessInvalid(reason)
    notifications.show({
      color: 'teal',
      message: `${countText(requeued)} ${requeued === 1 ? 'dataset is' : 'datasets are'} processed again${
        withoutData > 0 ? `; of ${countText(withoutData)} the data was removed before` : ''
      }`,
    })
    await client.invalidateQueries({ queryKey: ['get', '/api/pipeline/v1'] })
  }

  const which = reason === undefined ? 'all invalid datasets' : `datasets invalid for ${reason}`
  return (
    <ConfirmButton
      size="xs"
      title={`Process ${which} again?`}
      question={`${datasets} invalid ${datasets === '1' ? 'dataset is' : 'datasets are'} read anew, after new uploads. That helps once the cause is mended, as by an update of this service; what is still wrong becomes invalid again. Velocity does not count them twice.`}
      confirm="Process again"
      color="ink"
      aria-label={reason === undefined ? 'Process all again' : `Process again: ${reason}`}
      act={reprocess}
    >
      {reason === undefined ? 'Process all again' : 'Process again'}
    </ConfirmButton>
  )
}

/** Goes on until there is no more; a call looks at some thousands. */
async function reprocessInvalid(
  reason: string | undefined,
): Promise<{ requeued: number; withoutData: number }> {
  const sum = { requeued: 0, withoutData: 0 }
  let cursor: string | null | undefined
  do {
    const answer = await api.POST('/api/pipeline/v1/reprocess', {
      body: { status: 'invalid', ...(reason !== undefined && { reason }), ...(cursor && { cursor }) },
    })
    sum.requeued += answer.data?.requeued ?? 0
    sum.withoutData += answer.data?.withoutData ?? 0
    cursor = answer.data?.next
  } while (cursor)
  return sum
}
