import { NoScore, PmmlFault } from './faults.ts'

const DAY_S = 86_400

/** Seconds since the start of a year, of a date or a date with time in ISO 8601; whatever zone it is in. */
export function secondsSinceYear(moment: string, year: number): number {
  const at = Date.parse(moment.length === 10 || moment.endsWith('Z') ? moment : `${moment}Z`)
  if (Number.isNaN(at)) throw new NoScore(`${JSON.stringify(moment)} is no date`)
  return (at - startOf(year)) / 1_000
}

/** Date.UTC takes the years 0 to 99 for 1900 to 1999. */
const startOf = (year: number): number => new Date(0).setUTCFullYear(year, 0, 1)

export const daysSinceYear = (moment: string, year: number): number =>
  Math.floor(secondsSinceYear(moment, year) / DAY_S)

export function secondsSinceMidnight(moment: string): number {
  const [, hours, minutes, seconds] = /(?:^|T)(\d\d):(\d\d):(\d\d(?:\.\d+)?)Z?$/.exec(moment) ?? []
  if (hours === undefined) throw new NoScore(`${JSON.stringify(moment)} has no time of day`)
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
}

const two = (value: number) => String(value).padStart(2, '0')

/** Parts of a pattern, as in strftime of POSIX, without those that depend on a language. */
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

/** @throws PmmlFault for a pattern with a part that is not known. */
export function compileMomentPattern(pattern: string): (moment: string) => string {
  const parts = pattern.split(/(%.?)/).map((part) => {
    if (!part.startsWith('%')) return () => part
    const format = PARTS[part.slice(1)]
    if (!format)
      throw new PmmlFault(
        `formatDatetime: the pattern ${pattern} has ${part}, which is not supported`,
        pattern,
      )
    return format
  })
  return (moment) => {
    const at = new Date(secondsSinceYear(moment, 1970) * 1_000)
    return parts.map((format) => format(at)).join('')
  }
}
