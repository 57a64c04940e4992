import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

/** The heading of a page, also set as the tab's title; `actions` are on its right, below it on phones. */
export function PageHeader({
  title,
  beside,
  description,
  actions,
}: {
  title: string
  /** Next to the heading. */
  beside?: ReactNode
  description?: ReactNode
  actions?: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Inkling`
  }, [title])
  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="lg">
      <Stack gap={4} style={{ flex: '1 1 20rem' }}>
        <Group gap="xs">
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {beside}
        </Group>
        {description !== undefined && (
          <Text c="dimmed" size="sm" maw="44rem">
            {description}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="sm">{actions}</Group>}
    </Group>
  )
}
