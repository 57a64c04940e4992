import { Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import type { DatasetTimeline } from './insight-types.ts'

/** Of a deleted dataset: who deleted it and when. */
export function DeletedPanel({ timeline }: { timeline: DatasetTimeline | undefined }) {
  const deleted = timeline?.events.findLast(({ event }) => event === 'deleted')
  return (
    <EmptyState icon={IconTrash} title="This dataset was deleted">
      {deleted && (
        <Text span inherit c="bright">
          {deleted.actor === null ? 'Deleted' : `${deleted.actor} deleted it`} on <TimeText at={deleted.at} />
          .{' '}
        </Text>
      )}
      Its data, insight and Additional Info were permanently deleted; the reference number stays taken.
    </EmptyState>
  )
}
