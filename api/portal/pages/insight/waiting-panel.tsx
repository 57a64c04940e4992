import { Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { TimeText } from '../../parts/time-text.tsx'

/** Shown until a dataset is first processed. */
export function WaitingPanel({ uploadedAt }: { uploadedAt: string }) {
  return (
    <Paper withBorder p="xl" role="status">
      <Group wrap="nowrap" gap="lg" align="flex-start">
        <Loader size="sm" mt={4} aria-hidden />
        <Stack gap={4}>
          <Text fw={600}>Waiting to be processed</Text>
          <Text size="sm" c="dimmed">
            Uploaded <TimeText at={uploadedAt} since /> and stored. Opening this page moved it to the front of
            the queue. Scores appear here automatically, usually within two seconds.
          </Text>
        </Stack>
      </Group>
    </Paper>
  )
}
