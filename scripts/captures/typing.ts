import { clamp } from './clamp.ts'
import type { Random } from './random.ts'

/** Typing rhythm of one person, the same for all captures and, scaled, for all devices. */
export interface Rhythm {
  /** Medians in milliseconds on a touch screen. */
  readonly dwellMs: number
  readonly flightMs: number
  /** Standard deviations of the logarithms. */
  readonly dwellSigma: number
  readonly flightSigma: number
  /** Share of mistyped keys, which are then deleted. */
  readonly errorShare: number
  /** Median pause before a new field, in milliseconds. */
  readonly thinkMs: number
}

/** Composition of a text: shares from 0 to 1, the rest are letters. */
export interface Mix {
  readonly digits: number
  readonly spaces: number
  readonly symbols: number
}

/** A keystroke: kind of key, hold time, and time since the release of the previous key. */
export interface Stroke {
  readonly kind: 'letter' | 'digit' | 'symbol' | 'space' | 'backspace'
  readonly dwellMs: number
  readonly flightMs: number
}

/** Typing on a physical keyboard is faster than on a touch screen, with longer hold times. */
const KEYBOARD = { dwell: 1.35, flight: 0.6 } as const

/**
 * Draws a person's rhythm. On phones people make about 36 words a minute, the young a third more than those
 * over 50; on keyboards 52, with keys held for 116 ms and 239 ms from press to press.
 *
 * @see Palin et al., "How do people type on mobile devices?", MobileHCI 2019, https://doi.org/10.1145/3338286.3340120
 * @see Dhakal et al., "Observations on typing from 136 million keystrokes", CHI 2018, https://doi.org/10.1145/3173574.3174220
 */
export function drawRhythm(random: Random, ageYears: number): Rhythm {
  const slowness = 1 + clamp(ageYears - 25, 0, 50) * 0.012
  const hurry = random.logNormal(1, 0.3)
  return {
    dwellMs: clamp(random.logNormal(80, 0.18), 40, 180),
    flightMs: clamp(165 * slowness * hurry, 55, 900),
    dwellSigma: random.float(0.18, 0.32),
    flightSigma: random.float(0.38, 0.62),
    errorShare: clamp(random.logNormal(0.04, 0.55) / Math.sqrt(hurry), 0.004, 0.2),
    thinkMs: random.logNormal(1500, 0.4) * slowness,
  }
}

/**
 * Returns the keystrokes for a text of this length, including mistakes and their deletion.
 *
 * Characters are not generated, only kinds of key, in the proportions of the field.
 */
export function typeText(
  random: Random,
  rhythm: Rhythm,
  length: number,
  mix: Mix,
  keyboard: boolean,
): Stroke[] {
  const dwellMs = rhythm.dwellMs * (keyboard ? KEYBOARD.dwell : 1)
  const flightMs = rhythm.flightMs * (keyboard ? KEYBOARD.flight : 1)
  const strokes: Stroke[] = []
  const press = (kind: Stroke['kind'], slower = 1) => {
    strokes.push({
      kind,
      dwellMs: Math.round(clamp(random.logNormal(dwellMs, rhythm.dwellSigma), 18, 900)),
      flightMs: Math.round(clamp(random.logNormal(flightMs * slower, rhythm.flightSigma), 5, 20_000)),
    })
  }
  for (let typed = 0; typed < length; typed++) {
    if (random.chance(rhythm.errorShare)) {
      const wrong = random.chance(0.75) ? 1 : random.int(2, 4)
      for (let i = 0; i < wrong; i++) press(drawKind(random, mix))
      press('backspace', 2.2) // noticing a mistake takes time
      for (let i = 1; i < wrong; i++) press('backspace', 0.7)
    }
    const kind = drawKind(random, mix)
    press(kind, kind === 'digit' || kind === 'symbol' ? 1.3 : 1)
  }
  return strokes
}

function drawKind(random: Random, { digits, spaces, symbols }: Mix): Stroke['kind'] {
  const u = random.float()
  if (u < digits) return 'digit'
  if (u < digits + spaces) return 'space'
  return u < digits + spaces + symbols ? 'symbol' : 'letter'
}
