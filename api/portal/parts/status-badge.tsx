import { Badge } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconLoader2, IconTrash } from '@tabler/icons-react'
import { STATUS_COLORS, STATUS_LABELS } from './labels.ts'

const ICONS = {
  received: IconLoader2,
  ready: IconCircleCheck,
  invalid: IconAlertTriangle,
  deleted: IconTrash,
} as const

/** The status of a dataset, by colour, icon and label. */
export function StatusBadge({
  status,
  size = 'md',
}: {
  status: keyof typeof STATUS_LABELS
  size?: 'sm' | 'md' | 'lg'
}) {
  const Icon = ICONS[status]
  return (
    <Badge
      variant="light"
      color={STATUS_COLORS[status]}
      size={size}
      tt="none"
      fw={600}
      leftSection={<Icon size={13} aria-hidden />}
    >
      {STATUS_LABELS[status]}
    </Badge>
  )
}
