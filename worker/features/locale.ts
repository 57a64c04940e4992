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
  const locale = parseLocale(device?.locale)
  const zone = findTimeZone(device?.timeZone)
  const zones = locale?.region === undefined ? undefined : listTimeZones(locale.region)
  return {
    device_language: locale?.language === 'und' ? undefined : locale?.language,
    device_locale_zone_agree: zone && zones?.size ? zones.has(zone.name) : undefined,
  }
}

/** Reads Java's `en_PH` as well, and old codes as today's: its `in` for Indonesian is `id`. */
function parseLocale(tag: string | null | undefined): Intl.Locale | undefined {
  if (!tag) return undefined
  try {
    return new Intl.Locale(tag.replaceAll('_', '-'))
  } catch {
    return undefined // RangeError: not a language tag
  }
}
