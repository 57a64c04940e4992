import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { numberText } from '../../../parts/formats.ts'
import type { ExplainedScore } from '../insight-types.ts'
import { type Steps, stepsOf } from './points-steps.ts'
import { PointsTable } from './points-table.tsx'
import { Waterfall } from './waterfall.tsx'

/** More bars are no picture any more. */
const MAX_STEPS = 14

/** The points of a score by characteristic, as a picture or as a table. */
export function PointsSection({ score }: { score: ExplainedScore }) {
  const [view, setView] = useState<'picture' | 'table'>('picture')
  const steps = stepsOf(score, MAX_STEPS)
  if (!steps)
    return (
      <Text size="sm" c="dimmed">
        This kind of model does not tell the effect of each characteristic.
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
          onChange={(next) => setView(next === 'table' ? 'table' : 'picture')}
          data={[
            { value: 'picture', label: 'Picture' },
            { value: 'table', label: 'Table' },
          ]}
          aria-label="Show points as"
        />
      </Group>
      {view === 'picture' ? (
        <Waterfall steps={steps} direction={score.scorecard.direction} />
      ) : (
        <PointsTable score={score} steps={steps} />
      )}
      <Ending score={score} steps={steps} />
    </Stack>
  )
}

/** What the sum still lacks to be the score. */
function Ending({ score: { value, unrounded }, steps }: { score: ExplainedScore; steps: Steps }) {
  if (steps.unit === 'logOdds')
    return (
      <Text size="xs" c="dimmed">
        The model adds log-odds of bad; its scaling line turns {numberText(steps.total)} into the score{' '}
        {value}.
      </Text>
    )
  if (steps.unit === 'other')
    return (
      <Text size="xs" c="dimmed">
        This scorecard does not make its score of these points: they say what counted how much, and the score{' '}
        {value} comes from the odds that the model tells.
      </Text>
    )
  if (unrounded === value) return null
  return (
    <Text size="xs" c="dimmed">
      {numberText(steps.total)} is rounded, and held within the scorecard's limits, to {value}.
    </Text>
  )
}
