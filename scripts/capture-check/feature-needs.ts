import type { FeatureName } from '../../db/capture/features.ts'

/** What a feature needs beside its source, for those that a present source alone does not give. */
export const FEATURE_NEEDS: Readonly<Partial<Record<FeatureName, string>>> = {
  device_os_age_years: 'a major version that the service knows',
  device_ram_free_share: 'device.ramTotalBytes, and no more free memory than that',
  device_storage_free_share: 'device.storageTotalBytes, and no more free storage than that',
  device_uptime_hours: 'a time before collectedAt',
  device_locale_zone_agree: 'a locale with a country, and an IANA time zone',
  time_hour_local: 'an IANA time zone',
  time_weekend: 'an IANA time zone',
  apps_finance_share: 'an application that is not of the system',
  apps_oldest_days: 'an application with installedAt that is not of the system',
  apps_installed_30d_count: 'an application with installedAt that is not of the system',
  apps_updated_30d_share: 'an application with updatedAt that is not of the system',
  permissions_granted_share: 'a declared permission',
  behaviour_key_dwell_ms: '5 key events with dwellMs',
  behaviour_key_flight_ms: '5 key events with flightMs of at most 3 s',
  behaviour_key_flight_variation: '10 key events with flightMs of at most 3 s',
  behaviour_correction_share: '5 key events',
  behaviour_hesitation_share: '2 actions',
  behaviour_longest_pause_s: '2 actions',
  behaviour_refocus_share: 'a focus event with target',
  behaviour_touch_pressure: '5 touch events of phase start or move with pressure above 0',
  behaviour_touch_size_px: '5 touch events of phase start or move with sizePx above 0',
  behaviour_touch_speed_px_s: '3 swipes of 24 px or more, each with start and end',
  behaviour_pointer_speed_px_s: '10 pointer moves, each within 1 s of the pointer event before',
  behaviour_pointer_straightness: '3 pointer paths of 50 px or more that end with phase down',
}
