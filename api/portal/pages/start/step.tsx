import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A numbered step of the instructions. */
export function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="li">
      <Stack>
        <Title order={2}>
          {number}. {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  )
}
