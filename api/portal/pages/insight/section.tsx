import { Group, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** A section of the page; `aside` is on the right of the heading. */
export function Section({
  title,
  description,
  aside,
  children,
}: {
  title: ReactNode
  description?: ReactNode
  aside?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <Paper component="section" withBorder p={{ base: 'md', sm: 'lg' }} aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="md">
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {description !== undefined && (
            <Text size="sm" c="dimmed" maw="44rem">
              {description}
            </Text>
          )}
        </div>
        {aside}
      </Group>
      {children}
    </Paper>
  )
}
