import { NoScore, PmmlError } from './errors.ts'

const MAX_PATTERN = 200
/** With two repetitions, matching time is cubic in the length of the text; each further one raises the power. */
const MAX_REPETITIONS = 2
const MAX_TEXT = 300

/**
 * Compiles a regular expression of the model whose matching time is bounded for any text.
 *
 * @throws PmmlError for repeated groups, back-references, lookaround, and too many repetitions or alternations: they can
 * cause catastrophic backtracking.
 */
export function compilePattern(pattern: string): RegExp {
  const literal = pattern.replace(/\\[^1-9kpPuxc]/g, '_').replace(/\[[^\]]*\]/g, '_')
  const unsupported = (problem: string) =>
    new PmmlError(`the regular expression ${JSON.stringify(pattern)} ${problem}`, pattern)
  if (pattern.length > MAX_PATTERN) throw unsupported('is too long')
  if (/\\/.test(literal)) throw unsupported('has an escape that is not supported')
  if (/\(\?(?!:)/.test(literal)) throw unsupported('has a lookaround, which is not supported')
  if (/\)[*+?{]/.test(literal)) throw unsupported('repeats a group, which is not supported')
  if ((literal.replace(/\(\?:/g, '(').match(/[*+?{]/g)?.length ?? 0) > MAX_REPETITIONS)
    throw unsupported(`has more than ${MAX_REPETITIONS} repetitions, which is not supported`)
  if (literal.includes('|') && (literal.match(/\(/g)?.length ?? 0) > 1)
    throw unsupported('has alternatives in more than one group, which is not supported')
  try {
    return new RegExp(pattern, 'gu')
  } catch (cause) {
    throw new PmmlError(`${JSON.stringify(pattern)} is not a regular expression`, pattern, { cause })
  }
}

/** Converts a value to the text to match. @throws NoScore if it is too long to match in bounded time. */
export function toMatchableText(value: number | string | boolean): string {
  const text = String(value)
  if (text.length > MAX_TEXT) throw new NoScore('a text is too long to match with a regular expression')
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
