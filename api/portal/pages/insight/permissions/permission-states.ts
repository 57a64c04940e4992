import { IconBan, IconCheck, IconMinus, IconQuestionMark } from '@tabler/icons-react'
import type { PermissionItem } from '../insight-types.ts'

type State = Exclude<PermissionItem['state'], null> | 'null'

/** The four states of a permission: never told by colour alone. */
export const PERMISSION_STATES = [
  { state: '1', word: 'Granted', meaning: 'The user allowed it', color: 'teal', icon: IconCheck },
  {
    state: '0',
    word: 'Not granted',
    meaning: 'Asked for or declared, but not allowed',
    color: 'orange',
    icon: IconBan,
  },
  {
    ...{ state: '-1', word: 'Not declared', meaning: 'The app does not ask for it (Android only)' },
    ...{ color: 'ink', icon: IconMinus },
  },
  {
    ...{
      state: 'null',
      word: 'Not available',
      meaning: 'SDK module not installed, or the system is too old to have it',
    },
    ...{ color: 'gray', icon: IconQuestionMark },
  },
] as const satisfies readonly { state: State; [member: string]: unknown }[]

export type PermissionState = (typeof PERMISSION_STATES)[number]

const byState = new Map<string, PermissionState>(PERMISSION_STATES.map((one) => [one.state, one]))

/** The state of an item, as people are told. */
export const stateOf = ({ state }: PermissionItem): PermissionState =>
  byState.get(String(state)) ?? PERMISSION_STATES[3]
