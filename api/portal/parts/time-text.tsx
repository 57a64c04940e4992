import { Text, Tooltip } from '@mantine/core'
import { offsetText, secondText, sinceText, utcText } from './formats.ts'
import { toDate } from './to-date.ts'

/**
 * An instant in the time zone of the browser; a tooltip on hover and focus names the zone, and the instant in UTC.
 *
 * @param props.tabStop false in the rows of a list, where each row is one tab stop.
 */
export function TimeText({
  at,
  since = false,
  tabStop = true,
}: {
  at: string | Date
  since?: boolean
  tabStop?: boolean
}) {
  const date = toDate(at)
  return (
    <Tooltip label={`${secondText(date)} ${offsetText(date)} · ${utcText(date)}`} withinPortal>
      <Text
        component="time"
        dateTime={date.toISOString()}
        inherit
        tabIndex={tabStop ? 0 : undefined}
        style={{ whiteSpace: 'nowrap' }}
      >
        {since ? sinceText(date) : secondText(date)}
      </Text>
    </Tooltip>
  )
}
