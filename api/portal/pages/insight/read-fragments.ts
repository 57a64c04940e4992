import type { DeviceInfo, Explanation, PermissionItem } from './insight-types.ts'

type Fragments = NonNullable<Explanation['insight']>['fragments']

/** Finds the fragments with their own sections, by shape, since each subscription chooses their codes. */
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
