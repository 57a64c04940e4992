export const SECOND_MS = 1_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Mean length of a Gregorian year. */
export const YEAR_MS = 365.2425 * DAY_MS

/** Clocks that were never set report 1970 or, on FAT file systems, 1980; both count as missing. */
const EARLIEST_MS = Date.UTC(1990, 0)

/** Returns milliseconds since 1970; undefined if missing or before 1990. */
export function parseTimestamp(text: string | null | undefined): number | undefined {
  const ms = text == null ? Number.NaN : Date.parse(text)
  return ms >= EARLIEST_MS ? ms : undefined
}

/** Returns the milliseconds between two timestamps; undefined if one is missing or the second is earlier. */
export function elapsed(fromMs: number | undefined, toMs: number | undefined): number | undefined {
  if (fromMs === undefined || toMs === undefined || toMs < fromMs) return undefined
  return toMs - fromMs
}

/** Converts milliseconds to another unit, which is given in milliseconds. */
export function inUnits(unitMs: number, ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / unitMs
}

/**
 * Returns the days from the first to the last item of a section.
 *
 * Undefined if one of them is missing, the last is before the first, or more than a day after the capture. Up to a day is
 * tolerated: the device's clock and a message sender's may differ.
 */
export function spanDays(
  section: { firstAt?: string | null | undefined; lastAt?: string | null | undefined } | null | undefined,
  collectedAt: string,
): number | undefined {
  const last = parseTimestamp(section?.lastAt)
  const collected = parseTimestamp(collectedAt)
  if (last === undefined || collected === undefined || last > collected + DAY_MS) return undefined
  return inUnits(DAY_MS, elapsed(parseTimestamp(section?.firstAt), last))
}
