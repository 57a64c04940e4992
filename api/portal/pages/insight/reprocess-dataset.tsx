import { Code, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'

/** Reprocesses the dataset, after confirmation. */
export function ReprocessDataset({ referenceNumber }: { referenceNumber: string }) {
  const client = useQueryClient()
  return (
    <ConfirmButton
      size="xs"
      color="ink"
      leftSection={<IconRefresh size={15} aria-hidden />}
      title="Reprocess this dataset?"
      question={
        <Text size="sm">
          <Code style={{ overflowWrap: 'anywhere' }}>{referenceNumber}</Code> will be decoded and scored again
          with the current scorecards and fragments. Its scores may change. Velocity counts won't change.
        </Text>
      }
      confirm="Reprocess"
      act={async () => {
        await api.POST('/api/datasets/v1/{referenceNumber}/reprocess', {
          params: { path: { referenceNumber } },
        })
        await client.invalidateQueries({ queryKey: ['get', '/api/datasets/v1/{referenceNumber}'] })
      }}
    >
      Reprocess
    </ConfirmButton>
  )
}
