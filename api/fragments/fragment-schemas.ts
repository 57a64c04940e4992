import { z } from 'zod'

/** The kinds of fragment that there are. */
export const FragmentKind = z
  .enum(['permission', 'device_info', 'velocity', 'velocity_windows'])
  .meta({ description: 'Kind of the fragment' })
