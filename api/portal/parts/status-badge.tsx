import { Badge } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconLoader2, IconTrash } from '@tabler/icons-react'
import { STATE_COLORS } from '../shell/theme.ts'

export type DatasetState = keyof typeof STATE_COLORS

const STATES = {
  received: { label: 'Processing', icon: IconLoader2 },
  ready: { label: 'Ready', icon: IconCircleCheck },
  invalid: { label: 'Invalid', icon: IconAlertTriangle },
  deleted: { label: 'Deleted', icon: IconTrash },
} as const

/** The state of a dataset, by colour, icon and word. */
export function StatusBadge({ state, size = 'md' }: { state: DatasetState; size?: 'sm' | 'md' | 'lg' }) {
  const { label, icon: Icon } = STATES[state]
  return (
    <Badge
      variant="light"
      color={STATE_COLORS[state]}
      size={size}
      tt="none"
      fw={600}
      leftSection={<Icon size={13} aria-hidden />}
    >
      {label}
    </Badge>
  )
}
