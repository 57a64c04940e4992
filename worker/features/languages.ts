import type { CaptureInput, Extracted } from './extractor.ts'
import { findLocale } from './locales.ts'
import { findTimeZone, listTimeZones } from './time-zones.ts'

/** Languages that are read: people prefer a few, and parsing an unknown one takes 15 µs. */
const MAX_LANGUAGES = 20

/**
 * Whether languages, request and time zone of a browser agree.
 *
 * Only the first language has to be equal to that of `Accept-Language`: browsers shorten the list in requests or extend it.
 * The match with the time zone is undefined if the zone is unknown, or no language has a country with zones of its own.
 *
 * @see RFC 9110, section 12.5.4, on Accept-Language
 */
export function extractLanguages({
  capture: { device, web, collection },
}: CaptureInput): Extracted<'web_languages_header_agree' | 'web_languages_zone_agree' | 'web_zone_utc'> {
  const languages = web?.browser?.languages ?? []
  const [first] = languages
  const [requested] = collection?.request?.languages ?? []
  const zone = findTimeZone(device?.timeZone)
  return {
    web_languages_header_agree:
      first && requested ? first.toLowerCase() === requested.toLowerCase() : undefined,
    web_languages_zone_agree: zone && isZoneOf(languages, zone.name),
    web_zone_utc: zone && zone.name === 'UTC',
  }
}

function isZoneOf(languages: readonly string[], zone: string): boolean | undefined {
  const zones = languages
    .slice(0, MAX_LANGUAGES)
    .map((language) => findLocale(language).region)
    .filter((region) => region !== undefined)
    .map(listTimeZones)
    .filter(({ size }) => size > 0)
  return zones.length > 0 ? zones.some((names) => names.has(zone)) : undefined
}
