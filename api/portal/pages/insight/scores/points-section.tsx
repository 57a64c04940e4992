import { Anchor, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { countText, numberText } from '../../../parts/formats.ts'
import type { ExplainedScore } from '../insight-types.ts'
import { type Steps, stepsOf } from './points-steps.ts'
import { PointsTable } from './points-table.tsx'
import { Waterfall } from './waterfall.tsx'

/** Bars beyond this number are combined. */
const MAX_STEPS = 14

/** The points of a score by characteristic, as a chart or a table. */
export function PointsSection({ score }: { score: ExplainedScore }) {
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const steps = stepsOf(score, MAX_STEPS)
  if (!steps)
    return (
      <Text size="sm" c="dimmed">
        This type of model does not report the effect of each characteristic.
      </Text>
    )
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3} size="h4">
          Points by characteristic
        </Title>
        <SegmentedControl
          size="xs"
          value={view}
          onChange={(next) => setView(next === 'table' ? 'table' : 'chart')}
          data={[
            { value: 'chart', label: 'Chart' },
            { value: 'table', label: 'Table' },
          ]}
          aria-label="View"
        />
      </Group>
      {view === 'chart' ? (
        <>
          {steps.hasBaselines && (
            <Text size="xs" c="dimmed">
              Each bar is the difference between points and baseline.
            </Text>
          )}
          <Waterfall steps={steps} direction={score.scorecard.direction} />
          {steps.withoutEffect > 0 && (
            <Anchor
              component="button"
              type="button"
              size="xs"
              onClick={() => setView('table')}
              style={{ alignSelf: 'flex-start' }}
            >
              {countText(steps.withoutEffect)} with no effect – show all
            </Anchor>
          )}
        </>
      ) : (
        <PointsTable score={score} steps={steps} />
      )}
      <ScoreNote score={score} steps={steps} />
    </Stack>
  )
}

/** Explains how the sum is converted to the score, if they differ. */
function ScoreNote({ score: { value, unrounded }, steps }: { score: ExplainedScore; steps: Steps }) {
  if (steps.unit === 'logOdds')
    return (
      <Text size="xs" c="dimmed">
        The model adds log-odds of bad; its scaling converts {numberText(steps.total)} to the score {value}.
      </Text>
    )
  if (steps.unit === 'other')
    return (
      <Text size="xs" c="dimmed">
        The score {value} is computed from the odds of the model. The points show the weight of each
        characteristic.
      </Text>
    )
  if (unrounded === value) return null
  return (
    <Text size="xs" c="dimmed">
      {numberText(steps.total)} is rounded and limited to the scorecard's range: {value}.
    </Text>
  )
}
