import { Badge } from '@mantine/core'
import { IconBan, IconCircleCheck, IconClockOff, IconHourglass } from '@tabler/icons-react'
import type { components } from '../../client/openapi.d.ts'
import { toDate } from '../../parts/to-date.ts'

type Key = components['schemas']['Key']

/** Time before its expiry from which a key is marked, so that it is replaced in time. */
const EXPIRES_SOON_MS = 14 * 86_400_000

const STATUSES = {
  live: { label: 'Active', color: 'teal', icon: IconCircleCheck },
  soon: { label: 'Expires soon', color: 'orange', icon: IconHourglass },
  expired: { label: 'Expired', color: 'gray', icon: IconClockOff },
  revoked: { label: 'Revoked', color: 'gray', icon: IconBan },
} as const

/** The status of a key, by colour, icon and label. */
export function KeyStatus({ apiKey: { state, expiresAt } }: { apiKey: Pick<Key, 'state' | 'expiresAt'> }) {
  const expiresSoon = expiresAt !== null && toDate(expiresAt).getTime() - Date.now() < EXPIRES_SOON_MS
  const { label, color, icon: Icon } = STATUSES[state === 'live' && expiresSoon ? 'soon' : state]
  return (
    <Badge variant="light" color={color} tt="none" fw={600} leftSection={<Icon size={13} aria-hidden />}>
      {label}
    </Badge>
  )
}
