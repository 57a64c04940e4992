import type { Platform } from '../../db/capture/capture.ts'
import type { CaptureInput, Extracted } from './extractor.ts'
import { parseMajorVersion } from './parse-text.ts'
import { elapsed, inUnits, parseTimestamp, YEAR_MS } from './timestamps.ts'

/**
 * Release date of each major version.
 *
 * @see https://endoflife.date/android and https://endoflife.date/ios
 */
const RELEASED_ON: Readonly<Partial<Record<Platform, Readonly<Record<number, string>>>>> = {
  android: {
    5: '2014-11-12',
    6: '2015-10-05',
    7: '2016-08-22',
    8: '2017-08-21',
    9: '2018-08-06',
    10: '2019-09-03',
    11: '2020-09-08',
    12: '2021-10-04',
    13: '2022-08-15',
    14: '2023-10-04',
    15: '2024-09-03',
    16: '2025-06-10',
  },
  ios: {
    9: '2015-09-16',
    10: '2016-09-13',
    11: '2017-09-19',
    12: '2018-09-17',
    13: '2019-09-19',
    14: '2020-09-16',
    15: '2021-09-20',
    16: '2022-09-12',
    17: '2023-09-18',
    18: '2024-09-16',
    26: '2025-09-15', // Apple skipped 19 to 25: versions are now numbered by the year after the release
  },
}

/** Years since the release of the device's OS; undefined for unlisted versions and for captures before the release. */
export function extractOsAge({ capture }: CaptureInput): Extracted<'device_os_age_years'> {
  const major = parseMajorVersion(capture.device?.osVersion)
  const released = major === undefined ? undefined : RELEASED_ON[capture.platform]?.[major]
  const ageMs = elapsed(parseTimestamp(released), parseTimestamp(capture.collectedAt))
  return { device_os_age_years: inUnits(YEAR_MS, ageMs) }
}
