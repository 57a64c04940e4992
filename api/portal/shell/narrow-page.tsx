import { Center, Paper, Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Logo } from './logo.tsx'

/** A page before sign-in: the logo and one form or message. */
export function NarrowPage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Inkling`
  }, [title])
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={400} gap="lg" align="center">
        <Logo size={36} />
        <Paper withBorder p="xl" w="100%" shadow="xs">
          <Stack>
            <Title order={1} fz="h2">
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  )
}
