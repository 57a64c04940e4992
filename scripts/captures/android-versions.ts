/** One stable version of Android that a phone in use may run. */
export interface AndroidVersion {
  readonly apiLevel: number
  /** `Build.VERSION.RELEASE` */
  readonly osVersion: string
  /** Day of the first public release. */
  readonly releasedAt: string
}

/**
 * Without 12L (32), which was for tablets and folding phones. The day of 17 is approximate.
 *
 * @see https://developer.android.com/tools/releases/platforms
 */
export const ANDROID_VERSIONS: readonly AndroidVersion[] = [
  { apiLevel: 27, osVersion: '8.1.0', releasedAt: '2017-12-05' },
  { apiLevel: 28, osVersion: '9', releasedAt: '2018-08-06' },
  { apiLevel: 29, osVersion: '10', releasedAt: '2019-09-03' },
  { apiLevel: 30, osVersion: '11', releasedAt: '2020-09-08' },
  { apiLevel: 31, osVersion: '12', releasedAt: '2021-10-04' },
  { apiLevel: 33, osVersion: '13', releasedAt: '2022-08-15' },
  { apiLevel: 34, osVersion: '14', releasedAt: '2023-10-04' },
  { apiLevel: 35, osVersion: '15', releasedAt: '2024-09-03' },
  { apiLevel: 36, osVersion: '16', releasedAt: '2025-06-10' },
  { apiLevel: 37, osVersion: '17', releasedAt: '2026-06-16' },
]
