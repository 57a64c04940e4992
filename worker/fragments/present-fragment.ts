import type { Capture, Platform } from '../../db/capture/capture.ts'
import type { Velocity } from '../../db/capture/velocity-counts.ts'
import type { FragmentKind } from '../../db/scorecards/fragments.ts'
import { presentPermissions } from '../permissions/permission-states.ts'
import { presentDeviceInfo } from './device-info.ts'
import { presentVelocity, presentVelocityWindows } from './velocity.ts'

/** Fragments that depend on the capture alone, as JSON text; undefined if they cannot be restored after its deletion. */
export type CaptureFragments = Readonly<Record<'permission' | 'device_info', string | undefined>>

export const presentCaptureFragments = (capture: Capture): CaptureFragments => ({
  permission: JSON.stringify(presentPermissions(capture)),
  device_info: JSON.stringify(presentDeviceInfo(capture)),
})

/**
 * Restores the fragments from a stored insight. They are recognised by shape, as their codes may have been reassigned.
 */
export function restoreCaptureFragments(fragments: readonly { readonly value: object }[]): CaptureFragments {
  const values = fragments.map(({ value }) => value)
  const textOf = (value: object | undefined) => value && JSON.stringify(value)
  return {
    permission: textOf(values.find(Array.isArray)),
    device_info: textOf(values.find((value) => 'deviceID' in value)),
  }
}

/**
 * Returns the value of a fragment as JSON text; undefined if the platform does not have it or it could not be restored.
 *
 * The standard fragments exist for Android and iOS only.
 */
export function presentFragment(
  kind: FragmentKind,
  platform: Platform,
  captureFragments: CaptureFragments,
  velocity: Velocity,
): string | undefined {
  if (kind === 'velocity_windows') return JSON.stringify(presentVelocityWindows(velocity))
  if (platform === 'web') return undefined
  return kind === 'velocity' ? JSON.stringify(presentVelocity(velocity)) : captureFragments[kind]
}
