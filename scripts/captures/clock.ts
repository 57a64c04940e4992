import type { Random } from './random.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Share of loan applications by local hour: little at night, most from late morning to evening. */
const HOURLY = [3, 2, 1, 1, 1, 2, 4, 6, 9, 11, 12, 12, 11, 11, 11, 11, 11, 11, 12, 13, 13, 11, 8, 5] as const

/**
 * Draws a timestamp in the 24 hours before the end, at a local hour when people apply for loans.
 */
export function drawInstant(random: Random, endAt: number, utcOffsetHours: number): number {
  const localHour = random.weighted([...HOURLY.keys()], (hour) => HOURLY[hour] ?? 0) + random.float()
  const sinceEnd = ((localHour - utcOffsetHours) * HOUR_MS - endAt) % DAY_MS
  return Math.floor(endAt + sinceEnd - (sinceEnd > 0 ? DAY_MS : 0))
}
