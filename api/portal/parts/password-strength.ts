import { MIN_PASSWORD_LENGTH } from '../../account/account-schemas.ts'

/** Strength of a new password. */
export type PasswordStrength = 'short' | 'weak' | 'fair' | 'strong'

/** Kinds of characters, and how many each kind has. */
const KINDS = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[^a-zA-Z\d]/, 33],
] as const

/** Bits from which a password is fair, and strong. */
const FAIR_BITS = 45
const STRONG_BITS = 70

/**
 * Estimates the strength of a new password by its length, its kinds of characters, and how many of them neither repeat nor continue
 * the one before, as in `aaaa` and `1234`. The service rejects common passwords, which are not known here.
 */
export function estimateStrength(password: string): PasswordStrength {
  if (password.length < MIN_PASSWORD_LENGTH) return 'short'
  const choices = KINDS.reduce((sum, [kind, size]) => (kind.test(password) ? sum + size : sum), 0)
  const bits = countFresh(password) * Math.log2(choices)
  if (bits < FAIR_BITS) return 'weak'
  return bits < STRONG_BITS ? 'fair' : 'strong'
}

const countFresh = (text: string): number =>
  [...text].filter((character, at, all) => {
    const step = (character.codePointAt(0) ?? 0) - (all[at - 1]?.codePointAt(0) ?? Number.NaN)
    return !(Math.abs(step) <= 1)
  }).length
