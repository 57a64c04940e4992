import { Text, Tooltip } from '@mantine/core'
import { offsetText, secondText, sinceText, utcText } from './formats.ts'
import { toDate } from './to-date.ts'

/**
 * A time in the browser's time zone; a tooltip on hover and focus shows the zone and the time in UTC.
 *
 * @param props.tabStop false in rows of a list, where each row is one tab stop.
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
