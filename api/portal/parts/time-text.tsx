import { Text, Tooltip } from '@mantine/core'
import { offsetText, secondText, sinceText, utcText } from './formats.ts'
import { instantOf } from './instant.ts'

/** An instant in the time zone of the browser; a tooltip on hover and focus names the zone, and the instant in UTC. */
export function TimeText({ at, since = false }: { at: string | Date; since?: boolean }) {
  const date = instantOf(at)
  return (
    <Tooltip label={`${secondText(date)} ${offsetText(date)} · ${utcText(date)}`} withinPortal>
      <Text
        component="time"
        dateTime={date.toISOString()}
        inherit
        tabIndex={0}
        style={{ whiteSpace: 'nowrap' }}
      >
        {since ? sinceText(date) : secondText(date)}
      </Text>
    </Tooltip>
  )
}
