/** A time zone known to this version of Node. */
export interface TimeZone {
  /** Canonical name: the same for the aliases `Asia/Kolkata` and `Asia/Calcutta`. */
  readonly name: string
  readonly clock: Intl.DateTimeFormat
}

/** By name in lower case. Bounded by the existing zones and aliases, about 600: unknown names are not cached. */
const zones = new Map<string, TimeZone>()

/** By region. Bounded by the syntax of regions: two letters or three digits. */
const zonesOfRegion = new Map<string, ReadonlySet<string>>()

/**
 * Finds a zone by IANA name, case-insensitively; undefined for unknown names and for offsets such as `+08:00`.
 *
 * Cached: building a clock takes about 150 µs, using one 4 µs.
 */
export function findTimeZone(name: string | null | undefined): TimeZone | undefined {
  if (name == null || !/^[a-z]/i.test(name)) return undefined
  const key = name.toLowerCase()
  const known = zones.get(key)
  if (known) return known

  const clock = openClock(key)
  if (!clock) return undefined
  const zone = { name: clock.resolvedOptions().timeZone, clock }
  zones.set(key, zone)
  return zone
}

/** Returns the names of the zones in use in a region (ISO 3166 or UN M49 code); empty for unknown regions. */
export function listTimeZones(region: string): ReadonlySet<string> {
  const known = zonesOfRegion.get(region)
  if (known) return known

  const names = new Set<string>()
  for (const name of new Intl.Locale('und', { region }).getTimeZones() ?? []) {
    const zone = findTimeZone(name)
    if (zone) names.add(zone.name)
  }
  zonesOfRegion.set(region, names)
  return names
}

function openClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      hourCycle: 'h23',
    })
  } catch {
    return undefined // RangeError: no such zone
  }
}
