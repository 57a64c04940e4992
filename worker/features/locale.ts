import type { CaptureInput, Extracted } from './extractor.ts'
import { findLocale } from './locales.ts'
import { findTimeZone, listTimeZones } from './time-zones.ts'

/**
 * The locale's language, and whether the device's time zone belongs to the locale's country.
 *
 * The match is undefined if the locale has no country, the zone is unknown, or the country has no zones of its own.
 */
export function extractLocale({
  capture: { device },
}: CaptureInput): Extracted<'device_language' | 'device_locale_zone_agree'> {
  const { language, region } = findLocale(device?.locale)
  const zone = findTimeZone(device?.timeZone)
  const zones = region === undefined ? undefined : listTimeZones(region)
  return {
    device_language: language,
    device_locale_zone_agree: zone && zones?.size ? zones.has(zone.name) : undefined,
  }
}
