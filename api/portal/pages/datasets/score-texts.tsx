import { Group, Stack, Text } from '@mantine/core'
import { percentText } from '../../parts/formats.ts'
import type { DatasetItem } from './dataset-query.ts'

/** The scores of a dataset, or its error code. */
export function ScoreTexts({ item }: { item: DatasetItem }) {
  if (item.invalid)
    return (
      <Text size="sm" c="dimmed">
        {item.invalid.code}
      </Text>
    )
  if (item.scores.length === 0) return <Text c="dimmed">–</Text>
  return (
    <Stack gap={2}>
      {item.scores.map(({ code, value, probability }) => (
        <Group key={code} gap={8} align="baseline" wrap="nowrap">
          <Text fw={600} className="tabular">
            {value ?? 'No score'}
          </Text>
          <Text size="xs" c="dimmed">
            {[probability !== null && `PD ${percentText(probability, 1)}`, item.scores.length > 1 && code]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}
