/** One release of iOS. */
export interface IosVersion {
  readonly osVersion: string
  readonly major: number
  /** Day of the release. */
  readonly releasedAt: string
}

// biome-ignore format: four releases a line
const RELEASES: readonly (readonly [osVersion: string, releasedAt: string])[] = [
  ['15.7.9', '2023-09-11'], ['15.8', '2023-10-25'], ['15.8.2', '2024-03-05'], ['15.8.3', '2024-07-29'],
  ['16.3.1', '2023-02-13'], ['16.6.1', '2023-09-07'], ['16.7.8', '2024-05-13'], ['16.7.10', '2024-09-03'],
  ['17.3.1', '2024-02-08'], ['17.5.1', '2024-05-20'], ['17.6.1', '2024-08-07'], ['17.7', '2024-09-16'],
  ['18.0', '2024-09-16'], ['18.1', '2024-10-28'], ['18.1.1', '2024-11-19'], ['18.2', '2024-12-11'],
  ['18.3', '2025-01-27'], ['18.3.2', '2025-03-11'], ['18.4.1', '2025-04-16'], ['18.5', '2025-05-12'],
  ['18.6.2', '2025-08-20'], ['18.7', '2025-09-15'], ['26.0', '2025-09-15'], ['26.0.1', '2025-09-29'],
  ['26.1', '2025-11-03'], ['26.2', '2025-12-12'],
]

/**
 * Releases of iOS found on phones in use, oldest first within a major version.
 *
 * @see https://support.apple.com/en-us/100100
 */
export const IOS_VERSIONS: readonly IosVersion[] = RELEASES.map(([osVersion, releasedAt]) => ({
  osVersion,
  major: Number.parseInt(osVersion, 10),
  releasedAt,
}))
