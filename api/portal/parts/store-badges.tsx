import { Badge, Group, Tooltip } from '@mantine/core'
import { labelOf, STORE_EFFECT_LABELS, STORE_LABELS } from './labels.ts'

interface StoreMark {
  readonly store: string
  readonly rule: string
  readonly effect: string
  readonly reason: string
}

/** What application stores restrict about the data of a feature; nothing if they do not. */
export function StoreBadges({ marks }: { marks: readonly StoreMark[] | undefined }) {
  if (marks === undefined || marks.length === 0) return null
  return (
    <Group gap={4} mt={2}>
      {marks.map(({ store, rule, effect, reason }) => (
        <Tooltip key={`${store} ${rule}`} label={reason} multiline events={EVENTS}>
          <Badge
            size="sm"
            variant="light"
            color={effect === 'forbidden' ? 'orange' : 'gray'}
            tt="none"
            fw={500}
            tabIndex={0}
          >
            {labelOf(STORE_LABELS, store)}: {labelOf(STORE_EFFECT_LABELS, effect)}
          </Badge>
        </Tooltip>
      ))}
    </Group>
  )
}

const EVENTS = { hover: true, focus: true, touch: true }
