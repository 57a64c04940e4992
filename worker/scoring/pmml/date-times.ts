import { NoScore, PmmlError } from './errors.ts'

const DAY_S = 86_400

/** Returns the seconds since the start of a year, for an ISO 8601 date or date-time; time zones are ignored. */
export function secondsSinceYear(dateTime: string, year: number): number {
  const at = Date.parse(dateTime.length === 10 || dateTime.endsWith('Z') ? dateTime : `${dateTime}Z`)
  if (Number.isNaN(at)) throw new NoScore(`${JSON.stringify(dateTime)} is not a date`)
  return (at - startOf(year)) / 1_000
}

/** Date.UTC maps the years 0 to 99 to 1900 to 1999. */
const startOf = (year: number): number => new Date(0).setUTCFullYear(year, 0, 1)

export const daysSinceYear = (dateTime: string, year: number): number =>
  Math.floor(secondsSinceYear(dateTime, year) / DAY_S)

export function secondsSinceMidnight(dateTime: string): number {
  const [, hours, minutes, seconds] = /(?:^|T)(\d\d):(\d\d):(\d\d(?:\.\d+)?)Z?$/.exec(dateTime) ?? []
  if (hours === undefined) throw new NoScore(`${JSON.stringify(dateTime)} has no time of day`)
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
}

const two = (value: number) => String(value).padStart(2, '0')

/** Conversion specifiers of POSIX strftime, without the locale-dependent ones. */
const PARTS: Record<string, (at: Date) => string> = {
  Y: (at) => String(at.getUTCFullYear()),
  y: (at) => two(at.getUTCFullYear() % 100),
  m: (at) => two(at.getUTCMonth() + 1),
  d: (at) => two(at.getUTCDate()),
  H: (at) => two(at.getUTCHours()),
  I: (at) => two(at.getUTCHours() % 12 || 12),
  M: (at) => two(at.getUTCMinutes()),
  S: (at) => two(at.getUTCSeconds()),
  p: (at) => (at.getUTCHours() < 12 ? 'AM' : 'PM'),
  j: (at) =>
    String(1 + Math.floor((at.getTime() - startOf(at.getUTCFullYear())) / 86_400_000)).padStart(3, '0'),
  F: (at) => at.toISOString().slice(0, 10),
  T: (at) => at.toISOString().slice(11, 19),
  '%': () => '%',
}

/** @throws PmmlError for a pattern with an unsupported specifier. */
export function compileDateTimePattern(pattern: string): (dateTime: string) => string {
  const parts = pattern.split(/(%.?)/).map((part) => {
    if (!part.startsWith('%')) return () => part
    const format = PARTS[part.slice(1)]
    if (!format)
      throw new PmmlError(
        `formatDatetime: the pattern ${pattern} has ${part}, which is not supported`,
        pattern,
      )
    return format
  })
  return (dateTime) => {
    const at = new Date(secondsSinceYear(dateTime, 1970) * 1_000)
    return parts.map((format) => format(at)).join('')
  }
}
