import { Center, Stack, Text, ThemeIcon } from '@mantine/core'
import type { Icon as IconType } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** Shown instead of an empty list: a title, an explanation, and an action. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: IconType
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <Center py={64} px="md">
      <Stack align="center" gap="sm" maw="28rem">
        <ThemeIcon variant="light" size={56} radius="xl">
          <Icon size={28} aria-hidden />
        </ThemeIcon>
        <Text fw={600}>{title}</Text>
        {children !== undefined && (
          <Text c="dimmed" size="sm" ta="center">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  )
}
