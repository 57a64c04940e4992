import { LRUCache } from 'lru-cache'
import type { CaptureInput, Extracted } from './extractor.ts'
import { findTimeZone, listTimeZones } from './time-zones.ts'

/**
 * The locale's language, and whether the device's time zone belongs to the locale's country.
 *
 * The match is undefined if the locale has no country, the zone is unknown, or the country has no zones of its own.
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

/** Cached: parsing takes 15 µs, and one lender's clients use few locales. */
const locales = new LRUCache<string, Locale>({ max: 1_000, memoMethod: parseLocale })

/** Also accepts Java's `en_PH`, and maps obsolete codes to current ones: `in` for Indonesian becomes `id`. */
function parseLocale(tag: string): Locale {
  try {
    const { language, region } = new Intl.Locale(tag.replaceAll('_', '-'))
    return { language: language === 'und' ? undefined : language, region }
  } catch {
    return UNKNOWN // RangeError: not a language tag
  }
}
