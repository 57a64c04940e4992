import { Paper, Skeleton, Stack } from '@mantine/core'

/** Shown while a table loads, about as high as the table. */
export function TableSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <Paper withBorder p="md" aria-busy aria-label="Loading" role="status">
      <Stack gap="md">
        {Array.from({ length: rows }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: all are identical
          <Skeleton key={at} height={36} />
        ))}
      </Stack>
    </Paper>
  )
}
