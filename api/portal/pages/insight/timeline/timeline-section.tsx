import { Button, Skeleton, Text, Timeline } from '@mantine/core'
import {
  IconAlertTriangle,
  IconBell,
  IconCircleCheck,
  IconEraser,
  IconEye,
  IconFileDownload,
  IconNote,
  IconPlayerPlay,
  IconRefresh,
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
  rung: IconBell,
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

/** Entries that are shown until all are asked for. */
const SHOWN = 12

/** Shows the activity of the dataset, newest first. */
export function TimelineSection({ timeline }: { timeline: ReturnType<typeof useTimeline> }) {
  const [all, setAll] = useState(false)
  const { data, error, refetch } = timeline
  const entries = data ? entriesOf(data.events).toReversed() : []
  const shown = all ? entries : entries.slice(0, SHOWN)
  return (
    <Section title="Activity" description="Newest first. Every read is recorded, including yours.">
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
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
              Only the newest 300 events and reads are shown.
            </Text>
          )}
        </>
      )}
    </Section>
  )
}
