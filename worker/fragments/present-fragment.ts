import type { Capture } from '../../db/capture.ts'
import type { FragmentKind } from '../../db/fragments.ts'
import type { Velocity } from '../../db/velocity-counts.ts'
import { presentPermissions } from '../permissions/permission-states.ts'
import { presentDeviceInfo } from './device-info.ts'
import { presentVelocity, presentVelocityWindows } from './velocity.ts'

const PRESENTERS = {
  permission: presentPermissions,
  device_info: presentDeviceInfo,
  velocity: (_, velocity) => presentVelocity(velocity),
  velocity_windows: (_, velocity) => presentVelocityWindows(velocity),
} as const satisfies Record<FragmentKind, (capture: Capture, velocity: Velocity) => unknown>

/**
 * The value of a fragment of this kind, ready for JSON; undefined for a kind that the platform does not have.
 *
 * The standard fragments are for Android and iOS only.
 */
export function presentFragment(kind: FragmentKind, capture: Capture, velocity: Velocity): unknown {
  if (capture.platform === 'web' && kind !== 'velocity_windows') return undefined
  return PRESENTERS[kind](capture, velocity)
}
