import { Paper, Skeleton, Stack } from '@mantine/core'

/** In place of a table that is being loaded, about as high as what comes. */
export function TableSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <Paper withBorder p="md" aria-busy aria-label="Loading" role="status">
      <Stack gap="md">
        {Array.from({ length: rows }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          <Skeleton key={at} height={36} />
        ))}
      </Stack>
    </Paper>
  )
}
