import type { Extracted, SessionInput } from './extractor.ts'
import { median, quantile, share } from './statistics.ts'

/** Minimum keys for a median, and for the share of corrections. */
const MIN_KEYS = 5

/** Quartiles need more keys than a median. */
const MIN_KEYS_FOR_VARIATION = 10

/** Longer flights are pauses, not typing rhythm. The limit also holds below 0 (next key pressed before release). */
const MAX_FLIGHT_MS = 3_000

/**
 * Typing rhythm.
 *
 * Medians need 5 keys that have the time, the share of corrections 5 keys, the variation 10 and a median of 1 ms or more.
 *
 * @see Killourhy and Maxion, Comparing Anomaly-Detection Algorithms for Keystroke Dynamics (2009), for dwell and flight
 */
export function extractTyping({
  events,
}: SessionInput): Extracted<
  | 'behaviour_keys_count'
  | 'behaviour_key_dwell_ms'
  | 'behaviour_key_flight_ms'
  | 'behaviour_key_flight_variation'
  | 'behaviour_correction_share'
> {
  const keys = events?.keys ?? []
  let corrections = 0
  const dwells: number[] = []
  const flights: number[] = []
  for (const event of keys) {
    if (event.kind === 'backspace' || event.kind === 'delete') corrections++
    if (event.dwellMs != null) dwells.push(event.dwellMs)
    if (event.flightMs != null && Math.abs(event.flightMs) <= MAX_FLIGHT_MS) flights.push(event.flightMs)
  }

  return {
    behaviour_keys_count: events?.keys.length,
    behaviour_key_dwell_ms: median(dwells, MIN_KEYS),
    behaviour_key_flight_ms: median(flights, MIN_KEYS),
    behaviour_key_flight_variation: variation(flights),
    behaviour_correction_share: keys.length < MIN_KEYS ? undefined : share(corrections, keys.length),
  }
}

/** Interquartile range / median; undefined for a median under 1 ms, which would inflate the ratio. */
function variation(flights: number[]): number | undefined {
  if (flights.length < MIN_KEYS_FOR_VARIATION) return undefined
  const [q1, q2, q3] = [quantile(flights, 0.25), quantile(flights, 0.5), quantile(flights, 0.75)]
  if (q1 === undefined || q2 === undefined || q3 === undefined || q2 < 1) return undefined
  return (q3 - q1) / q2
}
