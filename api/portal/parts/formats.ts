/** Numbers and times are English like the texts of the portal, regardless of the browser's locale. */
const LOCALE = 'en-GB'

const count = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 })
const oneDecimal = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 })
const twoDigits = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 })
const plain = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 3, useGrouping: false })
const signed = new Intl.NumberFormat(LOCALE, {
  maximumFractionDigits: 3,
  useGrouping: false,
  signDisplay: 'exceptZero',
})
const ordinals = new Intl.PluralRules(LOCALE, { type: 'ordinal' })

/** A count: 12,045, or 10,000+ for a lower bound. */
export const countText = (many: number, atLeast = false): string =>
  `${count.format(many)}${atLeast ? '+' : ''}`

/** A count with its noun: `2 datasets`. */
export const pluralText = (many: number, one: string, several = `${one}s`): string =>
  `${countText(many)} ${many === 1 ? one : several}`

/** An ordinal: 1st, 2nd. */
export function ordinalText(rank: number): string {
  const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
  return `${countText(rank)}${suffixes[ordinals.select(rank)] ?? 'th'}`
}

/** Points and other numbers: at most three decimals, with a minus sign. */
export const numberText = (value: number): string => plain.format(value).replace('-', '−')

/** The same as `numberText`, with a plus sign above 0. */
export const signedText = (value: number): string => signed.format(value).replace('-', '−')

/** A statistic: at most one decimal, as in 1,204.5. */
export const statisticText = (value: number): string => oneDecimal.format(value).replace('-', '−')

/** A stability index: 0.083. */
export const indexText = (value: number): string => value.toFixed(3)

/** A share: 0.0831 is 8.31%. */
export const percentText = (share: number, digits = 2): string =>
  new Intl.NumberFormat(LOCALE, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(share)

const UNITS: readonly [unit: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/** An approximate duration: 120 ms, 1.5 s or 12 min. */
export function durationText(ms: number): string {
  const [unit, length] = UNITS.find(([, length]) => ms >= length) ?? ['ms', 1]
  return `${twoDigits.format(ms / length)} ${unit}`
}

const BYTE_UNITS: readonly [unit: string, bytes: number][] = [
  ['GB', 1_000_000_000],
  ['MB', 1_000_000],
  ['kB', 1_000],
]

/** An approximate size: 820 B, 1.5 kB or 12 MB. */
export function bytesText(bytes: number): string {
  const [unit, size] = BYTE_UNITS.find(([, size]) => bytes >= size) ?? ['B', 1]
  return `${oneDecimal.format(bytes / size)} ${unit}`
}

const date = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const utcDate = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' })
const minute = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const second = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' })
const offset = new Intl.DateTimeFormat(LOCALE, { timeZoneName: 'shortOffset' })

/** A day in the time zone of the browser: 21 Nov 2026. */
export const dateText = (at: Date | number): string => date.format(at)

/** A day in UTC, such as `2026-11-21`, in every time zone: 21 Nov 2026. */
export const dayText = (day: string): string => utcDate.format(new Date(day))

/** A minute in the time zone of the browser: 21 Nov 2026, 14:03. */
export const minuteText = (at: Date | number): string => minute.format(at)

/** A second in the time zone of the browser: 21 Nov 2026, 14:03:59. */
export const secondText = (at: Date | number): string => second.format(at)

/** A time of day in the time zone of the browser: 14:03. */
export const clockText = (at: Date | number): string => clock.format(at)

/** The offset of the browser's time zone at a time: GMT+1. */
export const offsetText = (at: Date): string =>
  offset.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** The time zone of the browser: Europe/Berlin (GMT+1). */
export const zoneText = (at = new Date()): string =>
  `${offset.resolvedOptions().timeZone} (${offsetText(at)})`

/** A time in UTC: 2026-11-21 13:03:59 UTC. */
export const utcText = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

const RELATIVE_UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })

/** The time relative to now, by the clock of the browser: 3 minutes ago. */
export function sinceText(at: Date, now = Date.now()): string {
  const seconds = (at.getTime() - now) / 1_000
  const [unit, length] = RELATIVE_UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return relative.format(Math.round(seconds / length), unit)
}
