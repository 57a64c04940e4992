import { Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { actorLabel } from '../../parts/labels.ts'
import { TimeText } from '../../parts/time-text.tsx'
import type { DatasetTimeline } from './insight-types.ts'

/** Shown instead of the insight of a deleted dataset. */
export function DeletedPanel({ timeline }: { timeline: DatasetTimeline | undefined }) {
  const deleted = timeline?.events.findLast(({ event }) => event === 'deleted')
  return (
    <EmptyState icon={IconTrash} title="This dataset was deleted">
      {deleted && (
        <Text span inherit c="bright">
          Deleted {deleted.actor !== null && `by ${actorLabel({ ...deleted, actor: deleted.actor })} `}on{' '}
          <TimeText at={deleted.at} />.{' '}
        </Text>
      )}
      Its data, insight and Additional Info were permanently deleted. The reference number stays reserved.
    </EmptyState>
  )
}
