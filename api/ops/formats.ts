/** Formats of the pages for operators, which are in English and in UTC. */

export const presentTime = (time: Date): string =>
  time.toISOString().replace('T', ' ').slice(0, 19).concat(' UTC')

export const presentNumber = (number: number): string => number.toLocaleString('en')

/** A number that is a lower bound if `atLeast`. */
export const presentCount = (number: number, atLeast: boolean): string =>
  `${presentNumber(number)}${atLeast ? ' or more' : ''}`

/** A duration in whole units, as in `45 s`, `12 min` or `3 h`. */
export function presentSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return `${presentNumber(Math.round(seconds / 3_600))} h`
}

/** A rate, with one decimal if it is small. */
export const presentRate = (rate: number): string =>
  rate === 0 ? '0' : rate < 10 ? rate.toFixed(1) : presentNumber(Math.round(rate))

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** A number of bytes with two or three digits, in units of 1,000: `1.2 GB`. */
export function presentBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1_000 ** power
  return `${value.toFixed(power > 0 && value < 10 ? 1 : 0)} ${UNITS[power]}`
}

/** What is used of a limit, as in `1,200 of 5,000 (24 %)`. @param limit null is none. */
export function presentUse(used: number, limit: number | null, present = presentNumber): string {
  if (limit === null) return `${present(used)}, no limit`
  return `${present(used)} of ${present(limit)} (${Math.round((100 * used) / limit)} %)`
}
