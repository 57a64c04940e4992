import type { Capture, CapturePermission } from '../../db/capture/capture.ts'
import { ANDROID_PERMISSIONS } from './android.ts'
import { IOS_PERMISSIONS } from './ios.ts'

/** One item of the Permission fragment. */
export interface PermissionState {
  readonly permission: string
  /** '1' granted, '0' not granted, '-1' not declared (Android only), null where it cannot exist or was not read. */
  readonly state: '1' | '0' | '-1' | null
}

/**
 * Presents the Permission fragment: the platform's whole catalogue in its order, then other permissions that the capture
 * lists, in the capture's order.
 *
 * Of a name listed twice, the first entry counts. null takes precedence: even a permission listed as granted is null if
 * the module that reads it is missing or the OS version does not have it. Defaults for missing data: without `sdk.modules`
 * every module is installed; without a version, the OS is new enough.
 *
 * @returns empty for a web capture, which has no standard fragments.
 * @see the interface document, "Standard fragments", Permission
 */
export function presentPermissions(capture: Capture): PermissionState[] {
  const { platform, device } = capture
  if (platform === 'web') return []

  const catalogue = platform === 'android' ? ANDROID_PERMISSIONS : IOS_PERMISSIONS
  const osVersion = platform === 'android' ? apiLevelOf(device) : iosVersionOf(device)
  const undeclared = platform === 'android' ? '-1' : '0'
  const modules = capture.sdk?.modules ? new Set(capture.sdk.modules) : undefined
  const listed = mapByName(capture.permissions ?? [])

  const states: PermissionState[] = []
  for (const { name, module, since } of catalogue) {
    const exists = since <= osVersion && (modules?.has(module) ?? true)
    states.push({ permission: name, state: exists ? stateOf(listed.get(name), undeclared) : null })
    listed.delete(name)
  }
  for (const [name, permission] of listed) {
    states.push({ permission: name, state: stateOf(permission, undeclared) })
  }
  return states
}

/** Granted takes precedence over undeclared: the app has the permission, whatever the manifest declares. */
function stateOf(
  permission: CapturePermission | undefined,
  undeclared: '-1' | '0',
): PermissionState['state'] {
  if (permission?.granted) return '1'
  return permission && permission.declared !== false ? '0' : undeclared
}

/** A Map iterates in order of first insertion, which is the capture's order. */
function mapByName(permissions: readonly CapturePermission[]): Map<string, CapturePermission> {
  const byName = new Map<string, CapturePermission>()
  for (const permission of permissions) {
    if (!byName.has(permission.name)) byName.set(permission.name, permission)
  }
  return byName
}

/**
 * The last API level of each Android major version before 13: the most lenient one of versions with several levels.
 *
 * @see https://developer.android.com/guide/topics/manifest/uses-sdk-element#ApiLevels
 */
const LAST_API_LEVEL: Readonly<Record<number, number>> = {
  1: 4,
  2: 10,
  3: 13,
  4: 20,
  5: 22,
  6: 23,
  7: 25,
  8: 27,
  9: 28,
  10: 29,
  11: 30,
  12: 32,
}

/** @returns Infinity, an OS that has every permission, if the capture has no version. */
function apiLevelOf(device: Capture['device']): number {
  if (device?.apiLevel != null) return device.apiLevel
  const major = Number(device?.osVersion?.match(/\d+/)?.[0] ?? Infinity)
  // Since 13 (API level 33), each major version has one API level.
  return major >= 13 ? major + 20 : (LAST_API_LEVEL[major] ?? Infinity)
}

/** @returns major.minor as a number; Infinity, an OS that has every permission, if the capture has no version. */
function iosVersionOf(device: Capture['device']): number {
  const [, major, minor = 0] = device?.osVersion?.match(/(\d+)(?:\.(\d+))?/) ?? []
  if (major === undefined) return Infinity
  // No iOS has had a minor version above 9; 10 would be capped to 9 here, not read as 1.
  return Number(`${major}.${Math.min(Number(minor), 9)}`)
}
