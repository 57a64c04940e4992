import { Code, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'

/** Deletes the dataset, after confirmation. */
export function DeleteDataset({ referenceNumber }: { referenceNumber: string }) {
  const client = useQueryClient()
  return (
    <ConfirmButton
      size="xs"
      leftSection={<IconTrash size={15} aria-hidden />}
      title="Delete this dataset?"
      question={
        <>
          <Text size="sm" mb="xs">
            This permanently deletes <Code style={{ overflowWrap: 'anywhere' }}>{referenceNumber}</Code> and
            its results: data, scores, insight and Additional Info.
          </Text>
          <Text size="sm">
            The reference number stays reserved. Velocity counts won't change. The audit log records your
            name.
          </Text>
        </>
      }
      confirm="Delete permanently"
      act={async () => {
        await api.DELETE('/api/datasets/v1/{referenceNumber}', { params: { path: { referenceNumber } } })
        await client.invalidateQueries({ queryKey: ['get', '/api/datasets/v1/{referenceNumber}'] })
      }}
    >
      Delete
    </ConfirmButton>
  )
}
