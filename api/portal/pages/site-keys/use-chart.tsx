import { Group, Stack, Text } from '@mantine/core'
import { countText, dayText } from '../../parts/formats.ts'
import type { SiteKey } from './site-key-types.ts'
import styles from './use-chart.module.css'

type Day = SiteKey['days'][number]

const DAY_MS = 86_400_000

/** The parts of a day's bar, from below. Abandoned collections are among the unfinished ones, as are those in progress. */
const PARTS = [
  { name: 'Completed', style: styles.completed, count: ({ completed }: Day) => completed },
  {
    name: 'Not completed',
    style: styles.unfinished,
    count: ({ opened, completed }: Day) => Math.max(0, opened - completed),
  },
  { name: 'Rejected', style: styles.rejected, count: ({ rejected }: Day) => rejected },
] as const

const totalOf = (day: Day) => PARTS.reduce((sum, { count }) => sum + count(day), 0)

/** Bars of the collections and rejected requests of each day, from the first to the last with any. */
export function UseChart({ days }: { days: readonly Day[] }) {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return null
  const byDay = new Map(days.map((day) => [day.day, day]))
  const highest = Math.max(1, ...days.map(totalOf))
  const sums = PARTS.map(
    ({ name, count }) => `${name}: ${countText(days.reduce((sum, day) => sum + count(day), 0))}`,
  )
  return (
    <Stack gap="xs">
      <div
        role="img"
        aria-label={`Collections from ${dayText(first.day)} to ${dayText(last.day)}. ${sums.join('. ')}. Most in a day: ${countText(highest)}.`}
        className={styles.chart}
      >
        {datesBetween(first.day, last.day).map((date) => {
          const day = byDay.get(date)
          return (
            <div key={date} className={styles.day}>
              {day &&
                PARTS.map(({ name, style, count }) => (
                  <div key={name} className={style} style={{ height: `${(count(day) / highest) * 100}%` }} />
                ))}
            </div>
          )
        })}
      </div>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {dayText(first.day)}
        </Text>
        <Group gap="md">
          {PARTS.map(({ name, style }) => (
            <Text key={name} size="xs">
              <span className={`${styles.swatch} ${style}`} />
              {name}
            </Text>
          ))}
        </Group>
        <Text size="xs" c="dimmed">
          {dayText(last.day)}
        </Text>
      </Group>
    </Stack>
  )
}

/** The dates from `first` to `last`, as in 2026-11-20. */
function datesBetween(first: string, last: string): string[] {
  const [from, to] = [Date.parse(first), Date.parse(last)]
  return Array.from({ length: (to - from) / DAY_MS + 1 }, (_, n) =>
    new Date(from + n * DAY_MS).toISOString().slice(0, 10),
  )
}
