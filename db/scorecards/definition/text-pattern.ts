import { RE2JS } from 're2js'

/** A regular expression whose matching time is linear in the length of the text. */
export interface TextPattern {
  readonly regex: RE2JS
  /** Instructions: a match takes a bounded time for each of them and each character. */
  readonly size: number
}

const MAX_PATTERN = 200

/** Compiled patterns that are kept: a function that is called often compiles its pattern once. */
const MAX_KEPT = 200

const kept = new Map<string, TextPattern>()

/**
 * Compiles a regular expression in the syntax of RE2: no back-references and no lookaround.
 *
 * @throws Error with the reason, for a person.
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function compileTextPattern(pattern: string): TextPattern {
  const known = kept.get(pattern)
  if (known) return known
  if (pattern.length > MAX_PATTERN) throw new Error(`has more than ${MAX_PATTERN} characters`)
  let regex: RE2JS
  try {
    regex = RE2JS.compile(pattern)
  } catch (cause) {
    throw new Error(`is not supported: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  const compiled = { regex, size: regex.programSize() }
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(pattern, compiled)
  return compiled
}
