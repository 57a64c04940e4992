import { LRUCache } from 'lru-cache'
import type { CaptureInput, Extracted } from './extractor.ts'
import { findTimeZone, listTimeZones } from './time-zones.ts'

/**
 * The locale, and whether the clock is set to a zone of its country.
 *
 * Agreement is undefined when the locale names no country, the zone is unknown, or the country has no zones of its own.
 */
export function extractLocale({
  capture: { device },
}: CaptureInput): Extracted<'device_language' | 'device_locale_zone_agree'> {
  const { language, region } = device?.locale ? locales.memo(device.locale) : UNKNOWN
  const zone = findTimeZone(device?.timeZone)
  const zones = region === undefined ? undefined : listTimeZones(region)
  return {
    device_language: language,
    device_locale_zone_agree: zone && zones?.size ? zones.has(zone.name) : undefined,
  }
}

type Locale = { readonly language?: string | undefined; readonly region?: string | undefined }

const UNKNOWN: Locale = {}

/** Kept, because reading one takes 15 µs, and a lender's clients have few. */
const locales = new LRUCache<string, Locale>({ max: 1_000, memoMethod: parseLocale })

/** Reads Java's `en_PH` as well, and old codes as today's: its `in` for Indonesian is `id`. */
function parseLocale(tag: string): Locale {
  try {
    const { language, region } = new Intl.Locale(tag.replaceAll('_', '-'))
    return { language: language === 'und' ? undefined : language, region }
  } catch {
    return UNKNOWN // RangeError: not a language tag
  }
}
