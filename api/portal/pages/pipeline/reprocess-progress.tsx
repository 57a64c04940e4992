import { Paper, Progress, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { countText } from '../../parts/formats.ts'

/** Progress of a reprocessing, measured from the largest number of waiting datasets since the page was opened. */
export function ReprocessProgress({ left }: { left: number }) {
  const [most, setMost] = useState(left)
  useEffect(() => setMost((before) => (left === 0 ? 0 : Math.max(before, left))), [left])
  if (left === 0) return null
  const total = Math.max(most, left)
  return (
    <Paper withBorder p="md" component="section" aria-label="Reprocessing">
      <Stack gap="xs">
        <Text size="sm" role="status">
          Reprocessing: {countText(total - left)} of {countText(total)} done
        </Text>
        <Progress value={((total - left) / total) * 100} aria-label="Datasets reprocessed" />
      </Stack>
    </Paper>
  )
}
