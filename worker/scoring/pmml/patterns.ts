import { NoScore, PmmlFault } from './faults.ts'

const MAX_PATTERN = 200
/** Matching takes time in the third power of the length of the text with two, and so on. */
const MAX_REPETITIONS = 2
const MAX_TEXT = 300

/**
 * A regular expression of the model, which must not take long on any text.
 *
 * @throws PmmlFault where it repeats a group, looks back or around, repeats or chooses in many places: such ones can
 * take for ever.
 */
export function compilePattern(pattern: string): RegExp {
  const literal = pattern.replace(/\\[^1-9kpPuxc]/g, '_').replace(/\[[^\]]*\]/g, '_')
  const refuse = (why: string) =>
    new PmmlFault(`the regular expression ${JSON.stringify(pattern)} ${why}`, pattern)
  if (pattern.length > MAX_PATTERN) throw refuse('is too long')
  if (/\\/.test(literal)) throw refuse('has an escape that is not supported')
  if (/\(\?(?!:)/.test(literal)) throw refuse('looks around, which is not supported')
  if (/\)[*+?{]/.test(literal)) throw refuse('repeats a group, which is not supported')
  if ((literal.replace(/\(\?:/g, '(').match(/[*+?{]/g)?.length ?? 0) > MAX_REPETITIONS)
    throw refuse(`repeats in more than ${MAX_REPETITIONS} places, which is not supported`)
  if (literal.includes('|') && (literal.match(/\(/g)?.length ?? 0) > 1)
    throw refuse('chooses in more than one group, which is not supported')
  try {
    return new RegExp(pattern, 'gu')
  } catch (cause) {
    throw new PmmlFault(`${JSON.stringify(pattern)} is no regular expression`, pattern, { cause })
  }
}

/** The text that a pattern is matched with. @throws NoScore where it is so long that matching may take long. */
export function matchable(value: number | string | boolean): string {
  const text = String(value)
  if (text.length > MAX_TEXT) throw new NoScore('a text is too long to be matched with a regular expression')
  return text
}

/**
 * A number as the format BESTw. of SAS writes it, without its leading blanks: in full where it fits into the width, else with
 * as many decimals as do.
 */
function compileBest(width: number): (value: number) => string {
  return (value) => {
    const full = String(value)
    if (full.length <= width && !full.includes('e')) return full
    const whole = value.toFixed(0).length
    const decimals = Math.min(100, width - whole - 1)
    if (full.includes('e') || whole > width)
      throw new NoScore(`${full} does not fit into ${width} characters`)
    return decimals > 0 ? value.toFixed(decimals).replace(/\.?0+$/, '') : value.toFixed(0)
  }
}

/** A number as printf of C writes it, for one of %d, %i, %f, %e, %s with flags, width and precision. */
export function compileNumberPattern(pattern: string): (value: number) => string {
  if (/^\s*[1-9]\d?\s*$/.test(pattern)) return compileBest(Number(pattern))
  const [, before, flags, width, precision, kind, after] =
    /^([^%]*)%([-+ 0]*)(\d{0,2})(?:\.(\d{1,2}))?([difes])([^%]*)$/.exec(pattern) ?? []
  if (kind === undefined || flags === undefined)
    throw new PmmlFault(`formatNumber: the pattern ${JSON.stringify(pattern)} is not supported`, pattern)
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
