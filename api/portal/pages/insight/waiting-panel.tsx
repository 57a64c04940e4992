import { Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { TimeText } from '../../parts/time-text.tsx'

/** While a dataset waits for its first processing. */
export function WaitingPanel({ uploadedAt }: { uploadedAt: string }) {
  return (
    <Paper withBorder p="xl" role="status">
      <Group wrap="nowrap" gap="lg" align="flex-start">
        <Loader size="sm" mt={4} aria-hidden />
        <Stack gap={4}>
          <Text fw={600}>Waiting to be processed</Text>
          <Text size="sm" c="dimmed">
            It was uploaded <TimeText at={uploadedAt} since />, is safely stored, and was moved to the front
            of the queue since you look at it. Scores appear here by themselves, usually within a second or
            two.
          </Text>
        </Stack>
      </Group>
    </Paper>
  )
}
