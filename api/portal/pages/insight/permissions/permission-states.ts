import { IconBan, IconCheck, IconMinus, IconQuestionMark } from '@tabler/icons-react'
import type { PermissionItem } from '../insight-types.ts'

type State = Exclude<PermissionItem['state'], null> | 'null'

/** The four states of a permission, each with icon and label. */
export const PERMISSION_STATES = [
  { state: '1', label: 'Granted', meaning: 'Allowed by the user', color: 'teal', icon: IconCheck },
  {
    state: '0',
    label: 'Not granted',
    meaning: 'Requested or declared, but not allowed',
    color: 'orange',
    icon: IconBan,
  },
  {
    ...{ state: '-1', label: 'Not declared', meaning: 'Not requested by the app (Android only)' },
    ...{ color: 'ink', icon: IconMinus },
  },
  {
    ...{
      state: 'null',
      label: 'Not available',
      meaning: 'SDK module not installed, or not supported by the system version',
    },
    ...{ color: 'gray', icon: IconQuestionMark },
  },
] as const satisfies readonly { state: State; [member: string]: unknown }[]

export type PermissionState = (typeof PERMISSION_STATES)[number]

const byState = new Map<string, PermissionState>(PERMISSION_STATES.map((one) => [one.state, one]))

/** The state of a permission, with label and icon. */
export const stateOf = ({ state }: PermissionItem): PermissionState =>
  byState.get(String(state)) ?? PERMISSION_STATES[3]
