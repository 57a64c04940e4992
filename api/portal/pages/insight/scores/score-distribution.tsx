import { Skeleton, Stack, Text } from '@mantine/core'
import { queries } from '../../../client/api.ts'
import { ApiProblem } from '../../../client/api-problem.ts'
import { ErrorState } from '../../../parts/error-state.tsx'
import { countText, numberText, pluralText } from '../../../parts/formats.ts'
import type { Distribution, ExplainedScore } from '../insight-types.ts'
import { barsOf, DAYS, percentileText } from './distribution.ts'
import { Histogram } from './histogram.tsx'

/** Wide enough to see a shape, narrow enough for a phone. */
const BARS = 32

/** Where a score lies among the subscription's recent ones of the same version. */
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
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (data.scored === 0)
    return (
      <NoDistribution>
        No scores of the last {DAYS} days are counted yet; counting takes a minute.
      </NoDistribution>
    )
  const place = percentileText(data, value)
  return (
    <Stack gap={4}>
      <Text fw={600}>{place}</Text>
      <Histogram
        bars={barsOf(data.values, value, BARS)}
        mark={value}
        label={`How the ${pluralText(data.scored, 'score')} of the last ${DAYS} days are spread. ${rangeText(data)}. This one is ${value}. ${place}.`}
      />
      <Text size="xs" c="dimmed">
        {pluralText(data.scored, 'dataset')} of your subscription scored by this version
        {data.unscored > 0 && `; ${countText(data.unscored)} more got no score`}
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
  `They go from ${numberText(values[0]?.value ?? 0)} to ${numberText(values.at(-1)?.value ?? 0)}`
