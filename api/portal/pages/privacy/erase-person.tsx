import { Code, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconTrash } from '@tabler/icons-react'
import { api } from '../../client/api.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { countText } from '../../parts/formats.ts'
import { PERSON_KIND_LABELS } from '../../parts/labels.ts'
import { bodyOf, type NamedPerson } from './privacy-types.ts'

/** Requests the erasure of a person, after confirmation. */
export function ErasePerson({
  person,
  datasets,
  truncated,
  onErased,
}: {
  person: NamedPerson
  datasets: number
  truncated: boolean
  onErased: () => void
}) {
  return (
    <ConfirmButton
      leftSection={<IconTrash size={16} aria-hidden />}
      title="Erase this person?"
      question={
        <>
          <Text size="sm" mb="xs">
            This permanently deletes {countText(datasets, truncated)} datasets of{' '}
            {PERSON_KIND_LABELS[person.kind].toLowerCase()}{' '}
            <Code style={{ overflowWrap: 'anywhere' }}>{person.id}</Code>: captures, insights, scores,
            Additional Info, timelines and velocity. It cannot be undone.
          </Text>
          <Text size="sm">
            Counts of others stay exact. The reference numbers become free. Whatever is received from now on
            is stored. The audit log records your name.
          </Text>
        </>
      }
      confirm="Erase permanently"
      act={async () => {
        await api.POST('/api/privacy/v1/erasures', { body: bodyOf(person) })
        notifications.show({ color: 'teal', message: 'The erasure has begun' })
        onErased()
      }}
    >
      Erase
    </ConfirmButton>
  )
}
