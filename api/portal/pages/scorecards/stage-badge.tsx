import { Badge } from '@mantine/core'
import { IconArchive, IconCircleCheck, IconEye, IconPencil } from '@tabler/icons-react'
import type { Stage } from './scorecard-types.ts'

const STAGES = {
  champion: { label: 'Champion', color: 'teal', icon: IconCircleCheck },
  challenger: { label: 'Challenger', color: 'ink', icon: IconEye },
  draft: { label: 'Draft', color: 'gray', icon: IconPencil },
  retired: { label: 'Retired', color: 'gray', icon: IconArchive },
} as const

/** The stage of a version, by colour, icon and label. */
export function StageBadge({ stage }: { stage: Stage }) {
  const { label, color, icon: Icon } = STAGES[stage]
  return (
    <Badge variant="light" color={color} tt="none" fw={600} leftSection={<Icon size={13} aria-hidden />}>
      {label}
    </Badge>
  )
}
