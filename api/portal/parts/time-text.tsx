import { Text, Tooltip } from '@mantine/core'
import { instantOf } from './instant.ts'

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** As in "3 minutes ago", by the viewer's clock. */
export function sinceText(at: Date, now = Date.now()): string {
  const seconds = (at.getTime() - now) / 1_000
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return relative.format(Math.round(seconds / length), unit)
}

/** An instant in the viewer's zone, with UTC on hover and focus. */
export function TimeText({ at, since = false }: { at: string | Date; since?: boolean }) {
  const date = instantOf(at)
  const utc = `${date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`
  return (
    <Tooltip label={since ? `${local.format(date)} · ${utc}` : utc} withinPortal>
      <Text
        component="time"
        dateTime={date.toISOString()}
        inherit
        tabIndex={0}
        style={{ whiteSpace: 'nowrap' }}
      >
        {since ? sinceText(date) : local.format(date)}
      </Text>
    </Tooltip>
  )
}
