import { Group, Text } from '@mantine/core'
import { IconBrandAndroid, IconBrandApple, IconWorld } from '@tabler/icons-react'
import { PLATFORM_LABELS } from '../../parts/labels.ts'
import type { DatasetItem } from './dataset-query.ts'

const ICONS = { android: IconBrandAndroid, ios: IconBrandApple, web: IconWorld } as const

/** The platform of a dataset, by icon and label; a dash if unknown. */
export function PlatformText({ platform }: { platform: DatasetItem['platform'] }) {
  if (platform === null) return <Text c="dimmed">–</Text>
  const Icon = ICONS[platform]
  return (
    <Group gap={6} wrap="nowrap">
      <Icon size={16} stroke={1.7} aria-hidden />
      <span>{PLATFORM_LABELS[platform]}</span>
    </Group>
  )
}
