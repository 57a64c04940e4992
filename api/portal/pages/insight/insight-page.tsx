import { Anchor, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { Link, useLocation } from 'react-router'
import { ApiProblem } from '../../client/api-problem.ts'
import { useUser } from '../../client/session.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { readListSearch } from '../datasets/list-location.ts'
import { DatasetHeader } from './dataset-header.tsx'
import { DatasetNotFound } from './dataset-not-found.tsx'
import { DeletedPanel } from './deleted-panel.tsx'
import { InfoSection } from './info-section.tsx'
import { InsightSections } from './insight-sections.tsx'
import type { Dataset } from './insight-types.ts'
import { InvalidPanel } from './invalid-panel.tsx'
import { JsonSection } from './json-section.tsx'
import { RelatedSection } from './related/related-section.tsx'
import { TimelineSection } from './timeline/timeline-section.tsx'
import { useTimeline } from './timeline/use-timeline.ts'
import { isProcessing, useDataset } from './use-dataset.ts'
import { useExplanation } from './use-explanation.ts'
import { useReferenceNumber } from './use-reference-number.ts'
import { WaitingPanel } from './waiting-panel.tsx'

/** A dataset: its scores with explanations, fragments, related datasets and activity. */
export function InsightPage() {
  const referenceNumber = useReferenceNumber()
  const { state } = useLocation()
  return (
    <>
      <Anchor component={Link} to={`/datasets${readListSearch(state)}`} size="sm" c="dimmed">
        <Group gap={2} mb="xs" display="inline-flex">
          <IconChevronLeft size={16} aria-hidden /> Datasets
        </Group>
      </Anchor>
      <LoadedDataset key={referenceNumber} referenceNumber={referenceNumber} />
    </>
  )
}

function LoadedDataset({ referenceNumber }: { referenceNumber: string }) {
  const { data, error, isPending, refetch } = useDataset(referenceNumber)
  if (data) return <DatasetPage dataset={data} />
  if (error instanceof ApiProblem && error.status === 404)
    return <DatasetNotFound referenceNumber={referenceNumber} />
  if (isPending)
    return (
      <Stack aria-busy aria-label="Loading">
        <Skeleton height={62} />
        <Skeleton height={420} />
        <Skeleton height={220} />
      </Stack>
    )
  return <ErrorState error={error} what="the dataset" retry={() => void refetch()} />
}

function DatasetPage({ dataset }: { dataset: Dataset }) {
  const { referenceNumber, status } = dataset
  const { role } = useUser()
  const explanation = useExplanation(referenceNumber, dataset)
  const timeline = useTimeline(
    referenceNumber,
    [status, dataset.waiting, dataset.settledAt, explanation.dataUpdatedAt].join(),
  )
  const insight = status === 'ready' || status === 'received' ? explanation.data : undefined
  const related = status !== 'deleted' && <RelatedSection dataset={dataset} />
  return (
    <>
      <DatasetHeader dataset={dataset} isAdmin={role === 'admin'} />
      <Stack gap="lg">
        {status === 'deleted' && <DeletedPanel timeline={timeline.data} />}
        {status === 'invalid' && <InvalidPanel {...dataset} />}
        {status === 'received' && !insight && <WaitingPanel uploadedAt={dataset.uploadedAt} />}
        {isProcessing(dataset) && insight && (
          <Text size="sm" c="dimmed" role="status">
            Recalculating. This page updates automatically.
          </Text>
        )}
        {insight ? <InsightSections dataset={dataset} explanation={insight} related={related} /> : related}
        {status === 'ready' && explanation.isPending && <Skeleton height={420} />}
        {status === 'ready' && explanation.error && !explanation.isFetching && (
          <ErrorState error={explanation.error} what="the insight" retry={() => void explanation.refetch()} />
        )}
        <SimpleGrid cols={{ base: 1, md: status === 'deleted' ? 1 : 2 }} spacing="lg">
          {status !== 'deleted' && (
            <Stack gap="lg">
              <InfoSection info={dataset.additionalInfo} />
              {insight && <JsonSection value={insight.insight} />}
            </Stack>
          )}
          <TimelineSection timeline={timeline} />
        </SimpleGrid>
      </Stack>
    </>
  )
}
