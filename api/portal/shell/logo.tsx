import { Group, Text } from '@mantine/core'

/** A drop of ink with a rising line of points, and the name. */
export function Logo({ size = 28, withName = true }: { size?: number; withName?: boolean }) {
  return (
    <Group gap={8} wrap="nowrap">
      <img src="/logo.svg" alt={withName ? '' : 'Inkling'} width={size} height={size} />
      {withName && (
        <Text component="span" fw={700} fz={size * 0.68} lh={1} style={{ letterSpacing: '-0.02em' }}>
          Inkling
        </Text>
      )}
    </Group>
  )
}
