import { Button, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconActivity } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { Link, useSearchParams } from 'react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { InvalidDatasets } from './invalid-datasets.tsx'
import { MetricTiles } from './metric-tiles.tsx'
import { OverdueAlert } from './overdue-alert.tsx'
import { ReprocessProgress } from './reprocess-progress.tsx'
import { type Pipeline, type PipelineWindow, usePipeline } from './use-pipeline.ts'

/** The charts load a large library, which the numbers do not wait for. */
const PipelineCharts = lazy(async () => ({
  default: (await import('./pipeline-charts.tsx')).PipelineCharts,
}))

export function PipelinePage() {
  const [search, setSearch] = useSearchParams()
  const window: PipelineWindow = search.get('window') === 'day' ? 'day' : 'hour'
  const { data, error, refetch } = usePipeline(window)
  return (
    <>
      <PageHeader
        title="Pipeline"
        description="Uploads, processing time and invalid datasets. Updates automatically."
        actions={
          <SegmentedControl
            aria-label="Period"
            value={window}
            onChange={(value) =>
              setSearch(value === 'day' ? { window: value } : {}, { replace: true, preventScrollReset: true })
            }
            data={[
              { value: 'hour', label: 'Last hour' },
              { value: 'day', label: 'Last day' },
            ]}
          />
        }
      />
      <Stack gap="lg">
        {error !== null && <ErrorState error={error} what="the pipeline" retry={() => void refetch()} />}
        {data ? <Metrics pipeline={data} /> : error === null && <Loading />}
      </Stack>
    </>
  )
}

function Metrics({ pipeline }: { pipeline: Pipeline }) {
  const { total, waiting, quarantine, window } = pipeline
  const settled = total.ready + total.invalid
  if (total.uploads + settled + waiting.datasets + waiting.again + quarantine.datasets === 0)
    return (
      <EmptyState
        icon={IconActivity}
        title={`No uploads in the last ${window}`}
        action={
          <Button component={Link} to="/start" variant="default">
            How to upload
          </Button>
        }
      >
        Once datasets are uploaded, this page shows their number and processing time.
      </EmptyState>
    )
  return (
    <>
      <OverdueAlert overdue={waiting.overdue} atLeast={waiting.atLeast} />
      <MetricTiles pipeline={pipeline} />
      <ReprocessProgress left={waiting.again} />
      <Suspense fallback={<ChartsLoading />}>
        <PipelineCharts pipeline={pipeline} />
      </Suspense>
      <InvalidDatasets pipeline={pipeline} />
      <Text size="xs" c="dimmed">
        Numbers are up to 5 seconds old. Each dataset counts as ready or invalid once, when it is first
        processed.
      </Text>
    </>
  )
}

function Loading() {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        {['waiting', 'uploads', 'time', 'invalid'].map((name) => (
          <Skeleton key={name} h={132} />
        ))}
      </SimpleGrid>
      <ChartsLoading />
    </>
  )
}

const ChartsLoading = () => (
  <SimpleGrid cols={{ base: 1, lg: 2 }} aria-busy="true">
    <Skeleton h={330} />
    <Skeleton h={330} />
  </SimpleGrid>
)
