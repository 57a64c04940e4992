import type { DeviceInfo, Explanation, PermissionItem } from './insight-types.ts'

type Fragments = NonNullable<Explanation['insight']>['fragments']

/** The fragments that are pictures here, told by their shape: a subscription may have any under a code of its own. */
export function readFragments(fragments: Fragments): {
  device: DeviceInfo | undefined
  permissions: { code: string; items: readonly PermissionItem[] }[]
} {
  return {
    device: fragments.map(({ value }) => value).find((value): value is DeviceInfo => 'deviceID' in value),
    permissions: fragments.flatMap(({ code, value }) =>
      Array.isArray(value) ? [{ code, items: value }] : [],
    ),
  }
}
