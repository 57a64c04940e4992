import { Group, Text } from '@mantine/core'
import { IconBrandAndroid, IconBrandApple, IconWorld } from '@tabler/icons-react'
import type { DatasetItem } from './dataset-query.ts'

const PLATFORMS = {
  android: { label: 'Android', icon: IconBrandAndroid },
  ios: { label: 'iOS', icon: IconBrandApple },
  web: { label: 'Web', icon: IconWorld },
} as const

/** The platform of a dataset, by icon and word; a dash where it is not known. */
export function PlatformText({ platform }: { platform: DatasetItem['platform'] }) {
  if (platform === null) return <Text c="dimmed">–</Text>
  const { label, icon: Icon } = PLATFORMS[platform]
  return (
    <Group gap={6} wrap="nowrap">
      <Icon size={16} stroke={1.7} aria-hidden />
      <span>{label}</span>
    </Group>
  )
}
