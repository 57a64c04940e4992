import { Skeleton, Stack, Text } from '@mantine/core'
import { queries } from '../../../client/api.ts'
import { ApiProblem } from '../../../client/api-problem.ts'
import { ErrorState } from '../../../parts/error-state.tsx'
import { countText, numberText, pluralText } from '../../../parts/formats.ts'
import type { Distribution, ExplainedScore } from '../insight-types.ts'
import { barsOf, DAYS, percentileText } from './distribution.ts'
import { Histogram } from './histogram.tsx'

/** Enough bars to show a shape, few enough for phones. */
const BARS = 32

/** The percentile of a score among the subscription's recent scores of the same version. */
export function ScoreDistribution({ score, value }: { score: ExplainedScore; value: number }) {
  const { code, scorecard } = score
  const { data, error, isPending, refetch } = queries.useQuery(
    'get',
    '/api/scores/v1/distribution',
    { params: { query: { code, days: DAYS, version: scorecard.version } } },
    { staleTime: 60_000 },
  )
  if (isPending) return <Skeleton height={172} />
  if (error instanceof ApiProblem && error.status < 500 && error.status > 0)
    return <NoDistribution>Scores of this version are no longer counted.</NoDistribution>
  if (error) return <ErrorState error={error} what="the score distribution" retry={() => void refetch()} />
  if (data.scored === 0)
    return <NoDistribution>No scores counted in the last {DAYS} days; counts lag by a minute.</NoDistribution>
  const percentile = percentileText(data, value)
  return (
    <Stack gap={4}>
      <Text fw={600}>{percentile}</Text>
      <Histogram
        bars={barsOf(data.values, value, BARS)}
        mark={value}
        label={`Distribution of ${pluralText(data.scored, 'score')} of the last ${DAYS} days, ${rangeText(data)}. This score: ${value}. ${percentile}.`}
      />
      <Text size="xs" c="dimmed">
        {pluralText(data.scored, 'dataset')} of your subscription, scored by this version
        {data.unscored > 0 && `; ${countText(data.unscored)} more without a score`}
      </Text>
    </Stack>
  )
}

function NoDistribution({ children }: { children: React.ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}

const rangeText = ({ values }: Distribution) =>
  `from ${numberText(values[0]?.value ?? 0)} to ${numberText(values.at(-1)?.value ?? 0)}`
