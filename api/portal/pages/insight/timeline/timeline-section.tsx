import { Button, Skeleton, Text, Timeline } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconEraser,
  IconEye,
  IconFileDownload,
  IconNote,
  IconPlayerPlay,
  IconRefresh,
  IconStack2,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { ErrorState } from '../../../parts/error-state.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import type { TimelineEvent } from '../insight-types.ts'
import { Section } from '../section.tsx'
import { entriesOf } from './timeline-entries.ts'
import type { useTimeline } from './use-timeline.ts'

const ICONS = {
  received: IconFileDownload,
  rung: IconStack2,
  claimed: IconPlayerPlay,
  ready: IconCircleCheck,
  invalid: IconAlertTriangle,
  recalculated: IconRefresh,
  info_saved: IconNote,
  reprocess_requested: IconRefresh,
  read: IconEye,
  data_removed: IconEraser,
  deleted: IconTrash,
} as const satisfies Record<TimelineEvent['event'], unknown>

/** Entries shown before the user expands the list. */
const INITIAL_ENTRIES = 12

/** Shows the activity of the dataset, newest first. */
export function TimelineSection({ timeline }: { timeline: ReturnType<typeof useTimeline> }) {
  const [all, setAll] = useState(false)
  const { data, error, refetch } = timeline
  const entries = data ? entriesOf(data.events).toReversed() : []
  const shown = all ? entries : entries.slice(0, INITIAL_ENTRIES)
  return (
    <Section title="Activity" description="Newest first. Every read is recorded, including yours.">
      {error ? (
        <ErrorState error={error} what="the activity" retry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton height={220} />
      ) : (
        <>
          <Timeline bulletSize={26} lineWidth={1} aria-label="Activity of the dataset">
            {shown.map(({ event, at, text, note }) => {
              const Icon = ICONS[event]
              return (
                <Timeline.Item
                  key={`${event} ${at}`}
                  bullet={<Icon size={14} aria-hidden />}
                  title={<Text size="sm">{text}</Text>}
                >
                  <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    <TimeText at={at} />
                    {note !== undefined && ` · ${note}`}
                  </Text>
                </Timeline.Item>
              )
            })}
          </Timeline>
          {entries.length > shown.length && (
            <Button mt="md" size="xs" variant="default" onClick={() => setAll(true)}>
              Show all {entries.length}
            </Button>
          )}
          {data.truncated && (
            <Text size="xs" c="dimmed" mt="sm">
              Shows the newest 300 events and reads.
            </Text>
          )}
        </>
      )}
    </Section>
  )
}
