import type { AppCategory } from './apps.ts'
import { clamp } from './clamp.ts'
import { COUNTRIES, type Home, settleIn } from './countries.ts'
import type { Random } from './random.ts'
import { drawRhythm, type Rhythm } from './typing.ts'

/** Touch characteristics: medians over a person's touches. */
export interface Touch {
  /** Share of the sensor's range, 0 to 1. */
  readonly pressure: number
  readonly sizePx: number
  readonly swipePxPerS: number
}

/** One client of a lender, with the traits common to all of their captures. */
export interface Person {
  readonly clientId: string
  readonly home: Home
  readonly ageYears: number
  /** Buying power in standard deviations of the population. */
  readonly affluence: number
  /** Phone usage in standard deviations: more apps, newer OS, more accounts. */
  readonly savvy: number
  /** How readily they grant permissions, in logits: 0 is even odds for an average permission. */
  readonly generosity: number
  readonly rhythm: Rhythm
  readonly touch: Touch
  /** How often they copy and paste rather than type, 0 to 1. */
  readonly pasting: number
  readonly contacts: number
  /** Factor for the reach of each category's apps; 1 for missing categories. */
  readonly tastes: ReadonlyMap<AppCategory, number>
  /** Whether the lender passes on hashes of their e-mail address and phone number. */
  readonly hashesKnown: boolean
}

const TASTED: readonly AppCategory[] = [
  'social',
  'finance',
  'gambling',
  'game',
  'productivity',
  'business',
  'education',
  'shopping',
  'entertainment',
  'music',
  'photography',
  'travel',
  'food',
  'health',
  'news',
  'lifestyle',
]

/** Draws a person; one who shares a device lives in the same place as its owner. */
export function drawPerson(random: Random, home?: Home): Person {
  const livesAt =
    home ??
    settleIn(
      random,
      random.weighted(COUNTRIES, ({ share }) => share),
    )
  const ageYears = Math.round(clamp(18 + random.logNormal(14, 0.6), 18, 75))
  const affluence = livesAt.country.affluence + random.normal(0, 0.9)
  const savvy = random.normal(0.35 * affluence - 0.02 * (ageYears - 35), 0.9)
  return {
    clientId: random.uuid(),
    home: livesAt,
    ageYears,
    affluence,
    savvy,
    generosity: random.normal(0.6 - 0.25 * savvy, 1.3),
    rhythm: drawRhythm(random, ageYears),
    touch: {
      pressure: clamp(random.normal(0.4, 0.12), 0.08, 0.95),
      sizePx: clamp(random.normal(32, 7), 10, 70),
      swipePxPerS: random.logNormal(1900, 0.4),
    },
    pasting: clamp(random.normal(0.25 + 0.1 * savvy, 0.15), 0, 0.9),
    contacts: Math.round(clamp(random.logNormal(190, 0.9), 2, 4500)),
    tastes: drawTastes(random, ageYears, savvy),
    hashesKnown: random.chance(0.45),
  }
}

function drawTastes(random: Random, ageYears: number, savvy: number): ReadonlyMap<AppCategory, number> {
  const young = clamp((45 - ageYears) / 20, -1, 1)
  const lean: Partial<Record<AppCategory, number>> = {
    game: 0.6 * young,
    social: 0.25 * young,
    education: 0.4 * young,
    news: -0.4 * young,
    health: -0.1 * young,
    productivity: 0.3 * savvy,
    business: 0.3 * savvy,
    finance: 0.2 * savvy,
    travel: 0.25 * savvy,
  }
  const spread = (category: AppCategory) => (category === 'gambling' ? 1.2 : 0.5)
  return new Map(
    TASTED.map((category) => [category, random.logNormal(Math.exp(lean[category] ?? 0), spread(category))]),
  )
}
