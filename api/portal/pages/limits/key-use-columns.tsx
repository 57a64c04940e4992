import { Stack, Text } from '@mantine/core'
import type { components } from '../../client/openapi.d.ts'
import { countText } from '../../parts/formats.ts'
import type { RecordColumns } from '../../parts/record-table.tsx'
import { keyLabel } from '../keys/key-label.ts'
import { rateText } from './rate-text.ts'
import { UseBar } from './use-meter.tsx'

type KeyUse = components['schemas']['LimitsAndUse']['keys'][number]

export const KEY_USE_COLUMNS: RecordColumns<KeyUse> = [
  {
    id: 'key',
    header: 'Key',
    cell: ({ row: { original } }) => (
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {keyLabel(original)}
      </Text>
    ),
  },
  {
    id: 'rate',
    header: 'Requests a second',
    cell: ({ row: { original } }) => rateText(original.requests),
  },
  {
    id: 'requests',
    header: 'Requests today',
    cell: ({ row: { original } }) => countText(original.requests.today),
  },
  {
    id: 'datasets',
    header: 'Datasets today',
    cell: ({ row: { original } }) => {
      const { today, perDay } = original.datasets
      if (perDay === null) return `${countText(today)}, no limit`
      return (
        <Stack gap={4} miw={140}>
          <Text size="sm">
            {countText(today)} of {countText(perDay)}
          </Text>
          <UseBar label={`Datasets of ${keyLabel(original)}, used`} used={today} limit={perDay} />
        </Stack>
      )
    },
  },
]
