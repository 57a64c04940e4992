import type { Random } from './random.ts'

/** Market region; the device tables weight brands by it. */
export type Region = 'southEastAsia' | 'southAsia' | 'latinAmerica' | 'africa' | 'europe' | 'northAmerica'

export interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly region: Region
  /** Share of the population; the shares need not add up to 1. */
  readonly share: number
  /** Share of iPhones among phones, 0 to 1. */
  readonly iphoneShare: number
  /** Buying power: 0 is the population's mean, 1 is one standard deviation above. */
  readonly affluence: number
  /** BCP 47 tags of the device language, with their shares. */
  readonly locales: readonly (readonly [tag: string, share: number])[]
  /** IANA time zones with their shares and the offset of the standard time from UTC. */
  readonly zones: readonly (readonly [name: string, share: number, utcOffsetHours: number])[]
}

/**
 * Countries where lenders use behavioural data, with the share of iPhones, languages and time zones of each.
 *
 * @see https://gs.statcounter.com/os-market-share/mobile for the share of iPhones, rounded
 * @see https://cldr.unicode.org (territoryInfo) for languages
 * @see https://www.iana.org/time-zones (zone1970.tab) for time zones
 */
// biome-ignore format: a list a line
export const COUNTRIES: readonly Country[] = [
  {
    code: 'PH', region: 'southEastAsia', share: 16, iphoneShare: 0.14, affluence: -0.3,
    locales: [['en-PH', 72], ['fil-PH', 18], ['en-US', 10]],
    zones: [['Asia/Manila', 1, 8]],
  },
  {
    code: 'ID', region: 'southEastAsia', share: 14, iphoneShare: 0.12, affluence: -0.3,
    locales: [['id-ID', 90], ['en-ID', 6], ['jv-ID', 2], ['en-US', 2]],
    zones: [['Asia/Jakarta', 80, 7], ['Asia/Makassar', 16, 8], ['Asia/Jayapura', 4, 9]],
  },
  {
    code: 'VN', region: 'southEastAsia', share: 8, iphoneShare: 0.28, affluence: -0.2,
    locales: [['vi-VN', 95], ['en-VN', 3], ['en-US', 2]],
    zones: [['Asia/Ho_Chi_Minh', 1, 7]],
  },
  {
    code: 'IN', region: 'southAsia', share: 14, iphoneShare: 0.05, affluence: -0.4,
    locales: [['en-IN', 68], ['hi-IN', 22], ['ta-IN', 3], ['te-IN', 3], ['bn-IN', 2], ['mr-IN', 2]],
    zones: [['Asia/Kolkata', 1, 5.5]],
  },
  {
    code: 'MX', region: 'latinAmerica', share: 9, iphoneShare: 0.24, affluence: 0,
    locales: [['es-MX', 92], ['es-US', 5], ['en-US', 3]],
    zones: [['America/Mexico_City', 80, -6], ['America/Tijuana', 8, -8], ['America/Monterrey', 8, -6], ['America/Cancun', 4, -5]],
  },
  {
    code: 'BR', region: 'latinAmerica', share: 8, iphoneShare: 0.19, affluence: 0,
    locales: [['pt-BR', 98], ['en-US', 2]],
    zones: [['America/Sao_Paulo', 84, -3], ['America/Manaus', 6, -4], ['America/Fortaleza', 10, -3]],
  },
  {
    code: 'CO', region: 'latinAmerica', share: 5, iphoneShare: 0.14, affluence: -0.1,
    locales: [['es-CO', 84], ['es-US', 10], ['es-419', 4], ['en-US', 2]],
    zones: [['America/Bogota', 1, -5]],
  },
  {
    code: 'PE', region: 'latinAmerica', share: 3, iphoneShare: 0.12, affluence: -0.1,
    locales: [['es-PE', 82], ['es-US', 12], ['es-419', 6]],
    zones: [['America/Lima', 1, -5]],
  },
  {
    code: 'NG', region: 'africa', share: 6, iphoneShare: 0.13, affluence: -0.6,
    locales: [['en-NG', 60], ['en-GB', 22], ['en-US', 18]],
    zones: [['Africa/Lagos', 1, 1]],
  },
  {
    code: 'KE', region: 'africa', share: 4, iphoneShare: 0.06, affluence: -0.6,
    locales: [['en-KE', 46], ['en-GB', 30], ['en-US', 16], ['sw-KE', 8]],
    zones: [['Africa/Nairobi', 1, 3]],
  },
  {
    code: 'ZA', region: 'africa', share: 3, iphoneShare: 0.18, affluence: -0.1,
    locales: [['en-ZA', 76], ['en-GB', 14], ['af-ZA', 6], ['zu-ZA', 4]],
    zones: [['Africa/Johannesburg', 1, 2]],
  },
  {
    code: 'PL', region: 'europe', share: 4, iphoneShare: 0.31, affluence: 0.6,
    locales: [['pl-PL', 94], ['uk-UA', 3], ['en-GB', 3]],
    zones: [['Europe/Warsaw', 1, 1]],
  },
  {
    code: 'ES', region: 'europe', share: 2, iphoneShare: 0.27, affluence: 0.7,
    locales: [['es-ES', 84], ['ca-ES', 10], ['gl-ES', 2], ['en-GB', 4]],
    zones: [['Europe/Madrid', 95, 1], ['Atlantic/Canary', 5, 0]],
  },
  {
    code: 'GB', region: 'europe', share: 2, iphoneShare: 0.51, affluence: 1,
    locales: [['en-GB', 96], ['en-US', 2], ['pl-PL', 2]],
    zones: [['Europe/London', 1, 0]],
  },
  {
    code: 'US', region: 'northAmerica', share: 2, iphoneShare: 0.57, affluence: 1.1,
    locales: [['en-US', 86], ['es-US', 14]],
    zones: [
      ['America/New_York', 47, -5], ['America/Chicago', 30, -6], ['America/Denver', 7, -7],
      ['America/Los_Angeles', 16, -8],
    ],
  },
]

/** The country, locale and time zone of one person. */
export interface Home {
  readonly country: Country
  readonly locale: string
  readonly timeZone: string
  readonly utcOffsetHours: number
}

/** Draws a locale and a time zone of the country. */
export function settleIn(random: Random, country: Country): Home {
  const [locale] = random.weighted(country.locales, ([, share]) => share)
  const [timeZone, , utcOffsetHours] = random.weighted(country.zones, ([, share]) => share)
  return { country, locale, timeZone, utcOffsetHours }
}
