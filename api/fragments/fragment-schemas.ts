import { z } from 'zod'

/** Kinds of fragments. */
export const FragmentKind = z
  .enum(['permission', 'device_info', 'velocity', 'velocity_windows'])
  .meta({ description: 'Kind of the fragment' })
