export const SECOND_MS = 1_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Mean length of a Gregorian year. */
export const YEAR_MS = 365.2425 * DAY_MS

/** Clocks that were never set say 1970 or, on FAT file systems, 1980: neither is a time. */
const EARLIEST_MS = Date.UTC(1990, 0)

/** Milliseconds since 1970; undefined when absent or before 1990. */
export function parseInstant(text: string | null | undefined): number | undefined {
  const ms = text == null ? Number.NaN : Date.parse(text)
  return ms >= EARLIEST_MS ? ms : undefined
}

/** Milliseconds from one instant to another; undefined if one is missing or the second comes first. */
export function elapsed(fromMs: number | undefined, toMs: number | undefined): number | undefined {
  if (fromMs === undefined || toMs === undefined || toMs < fromMs) return undefined
  return toMs - fromMs
}

/** A number of milliseconds in another unit, given in milliseconds. */
export function inUnits(unitMs: number, ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / unitMs
}

/**
 * Days from the first to the last item of a section.
 *
 * Undefined when an end is missing, they are the wrong way round, or the last is over a day after the capture;
 * up to a day is the difference between the device's clock and a sender's.
 */
export function spanDays(
  section: { firstAt?: string | null | undefined; lastAt?: string | null | undefined } | null | undefined,
  collectedAt: string,
): number | undefined {
  const last = parseInstant(section?.lastAt)
  const collected = parseInstant(collectedAt)
  if (last === undefined || collected === undefined || last > collected + DAY_MS) return undefined
  return inUnits(DAY_MS, elapsed(parseInstant(section?.firstAt), last))
}
