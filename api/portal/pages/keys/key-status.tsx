import { Badge } from '@mantine/core'
import { IconBan, IconCircleCheck, IconClockOff, IconHourglass } from '@tabler/icons-react'
import type { components } from '../../client/openapi.d.ts'
import { toDate } from '../../parts/to-date.ts'

type Key = components['schemas']['Key']

/** So long before its end a key is marked, so that another one is made in time. */
const EXPIRES_SOON_MS = 14 * 86_400_000

const STATUSES = {
  live: { label: 'Live', color: 'teal', icon: IconCircleCheck },
  soon: { label: 'Expires soon', color: 'orange', icon: IconHourglass },
  expired: { label: 'Expired', color: 'gray', icon: IconClockOff },
  revoked: { label: 'Revoked', color: 'gray', icon: IconBan },
} as const

/** Whether a key lets somebody in, by colour, icon and word. */
export function KeyStatus({ apiKey: { state, expiresAt } }: { apiKey: Pick<Key, 'state' | 'expiresAt'> }) {
  const endsSoon = expiresAt !== null && toDate(expiresAt).getTime() - Date.now() < EXPIRES_SOON_MS
  const { label, color, icon: Icon } = STATUSES[state === 'live' && endsSoon ? 'soon' : state]
  return (
    <Badge variant="light" color={color} tt="none" fw={600} leftSection={<Icon size={13} aria-hidden />}>
      {label}
    </Badge>
  )
}
