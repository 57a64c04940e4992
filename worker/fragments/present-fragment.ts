import type { Capture, Platform } from '../../db/capture/capture.ts'
import type { Velocity } from '../../db/capture/velocity-counts.ts'
import type { FragmentKind } from '../../db/scorecards/fragments.ts'
import { presentPermissions } from '../permissions/permission-states.ts'
import { presentDeviceInfo } from './device-info.ts'
import { presentVelocity, presentVelocityWindows } from './velocity.ts'

/** The fragments that a capture alone decides, as JSON texts; undefined where the capture is gone with them. */
export type CaptureFragments = Readonly<Record<'permission' | 'device_info', string | undefined>>

export const presentCaptureFragments = (capture: Capture): CaptureFragments => ({
  permission: JSON.stringify(presentPermissions(capture)),
  device_info: JSON.stringify(presentDeviceInfo(capture)),
})

/**
 * Finds them in a stored insight, by their shape: what their codes stood for may have changed since.
 */
export function recallCaptureFragments(fragments: readonly { readonly value: object }[]): CaptureFragments {
  const values = fragments.map(({ value }) => value)
  const textOf = (value: object | undefined) => value && JSON.stringify(value)
  return {
    permission: textOf(values.find(Array.isArray)),
    device_info: textOf(values.find((value) => 'deviceID' in value)),
  }
}

/**
 * The value of a fragment of this kind as a JSON text; undefined for a kind that the platform does not have, or that was lost.
 *
 * The standard fragments are for Android and iOS only.
 */
export function presentFragment(
  kind: FragmentKind,
  platform: Platform,
  ofCapture: CaptureFragments,
  velocity: Velocity,
): string | undefined {
  if (kind === 'velocity_windows') return JSON.stringify(presentVelocityWindows(velocity))
  if (platform === 'web') return undefined
  return kind === 'velocity' ? JSON.stringify(presentVelocity(velocity)) : ofCapture[kind]
}
