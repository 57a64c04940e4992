import { MAX_MATCHED_TEXT, MAX_TEXT } from '../../../db/scorecards/definition/text-limits.ts'
import { compileTextPattern } from '../../../db/scorecards/definition/text-pattern.ts'
import { NoScore, PmmlError } from './errors.ts'

/** A regular expression of a model. */
export interface Pattern {
  matches(value: number | string | boolean): boolean
  /** Replaces every match; `$1` to `$99` in the replacement are groups. Stops once the result is too long. */
  replace(value: number | string | boolean, replacement: string): string
}

/** @throws PmmlError for a regular expression that RE2 does not have. */
export function compilePattern(pattern: string): Pattern {
  const { regex } = compile(pattern)
  return {
    matches: (value) => regex.matcher(toMatchableText(value)).find(),
    replace(value, replacement) {
      const text = toMatchableText(value)
      const parts = partsOf(replacement, regex.groupCount())
      const matcher = regex.matcher(text)
      let result = ''
      let end = 0
      while (result.length <= MAX_TEXT && matcher.find()) {
        result += text.slice(end, matcher.start())
        for (const part of parts) result += typeof part === 'string' ? part : (matcher.group(part) ?? '')
        end = matcher.end()
      }
      return result + text.slice(end)
    },
  }
}

function compile(pattern: string) {
  try {
    return compileTextPattern(pattern)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause
    throw new PmmlError(`the regular expression ${JSON.stringify(pattern)} ${why}`, pattern, { cause })
  }
}

/** Splits a replacement into texts and groups: `$12` is group 12 if there is one, otherwise group 1 and `2`. */
function partsOf(replacement: string, groups: number): (string | number)[] {
  const isGroup = (digits: string) => Number(digits) >= 1 && Number(digits) <= groups
  return replacement.split(/(\$\d\d?)/).flatMap((part, at): (string | number)[] => {
    if (at % 2 === 0) return [part]
    const digits = part.slice(1)
    if (isGroup(digits)) return [Number(digits)]
    const [first = '', second = ''] = digits
    return isGroup(first) ? [Number(first), second] : [part]
  })
}

/** Converts a value to the text to match. @throws NoScore if it is too long. */
function toMatchableText(value: number | string | boolean): string {
  const text = String(value)
  if (text.length > MAX_MATCHED_TEXT)
    throw new NoScore('a text is too long to match with a regular expression')
  return text
}

/**
 * Compiles the SAS format BESTw. without leading blanks: the full number if it fits the width, otherwise as many decimals
 * as fit.
 */
function compileBest(width: number): (value: number) => string {
  return (value) => {
    const full = String(value)
    if (full.length <= width && !full.includes('e')) return full
    const whole = value.toFixed(0).length
    const decimals = Math.min(100, width - whole - 1)
    if (full.includes('e') || whole > width) throw new NoScore(`${full} does not fit in ${width} characters`)
    return decimals > 0 ? value.toFixed(decimals).replace(/\.?0+$/, '') : value.toFixed(0)
  }
}

/** Compiles a printf format with one of %d, %i, %f, %e, %s, with flags, width and precision. */
export function compileNumberPattern(pattern: string): (value: number) => string {
  if (/^\s*[1-9]\d?\s*$/.test(pattern)) return compileBest(Number(pattern))
  const [, before, flags, width, precision, kind, after] =
    /^([^%]*)%([-+ 0]*)(\d{0,2})(?:\.(\d{1,2}))?([difes])([^%]*)$/.exec(pattern) ?? []
  if (kind === undefined || flags === undefined)
    throw new PmmlError(`formatNumber: the pattern ${JSON.stringify(pattern)} is not supported`, pattern)
  const digits = precision === undefined ? 6 : Number(precision)
  const write = (magnitude: number): string => {
    if (kind === 'd' || kind === 'i') return String(Math.trunc(magnitude))
    if (kind === 'f') return magnitude.toFixed(digits)
    if (kind === 'e') return magnitude.toExponential(digits).replace(/([-+])(\d)$/, '$10$2')
    return String(magnitude)
  }
  return (value) => {
    const sign = value < 0 ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
    const text = write(Math.abs(value))
    const wide = Number(width)
    const padded = flags.includes('-')
      ? (sign + text).padEnd(wide)
      : flags.includes('0')
        ? sign + text.padStart(wide - sign.length, '0')
        : (sign + text).padStart(wide)
    return `${before}${padded}${after}`
  }
}
