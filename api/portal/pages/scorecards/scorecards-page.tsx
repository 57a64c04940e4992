import { Button, Skeleton, Stack } from '@mantine/core'
import { IconScale, IconUpload } from '@tabler/icons-react'
import { Link } from 'react-router'
import { queries } from '../../client/api.ts'
import { CURSOR_PAGING } from '../../client/cursor-paging.ts'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { LoadMore } from '../../parts/load-more.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { CodeCard } from './code-card.tsx'
import { FragmentsSection } from './fragments-section.tsx'

const upload = (
  <AdminOnly>
    <Button component={Link} to="/scorecards/upload" leftSection={<IconUpload size={16} aria-hidden />}>
      Upload scorecard
    </Button>
  </AdminOnly>
)

/** The deployed scorecards by code, and the fragments of insights. */
export function ScorecardsPage() {
  return (
    <>
      <PageHeader
        title="Scorecards"
        description="The champion of each code returns its scores. A challenger scores the same datasets in shadow, so that you can compare it before you promote it."
        actions={upload}
      />
      <Stack gap="xl">
        <Codes />
        <FragmentsSection />
      </Stack>
    </>
  )
}

function Codes() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    queries.useInfiniteQuery('get', '/api/scorecards/v1', { params: { query: { limit: 50 } } }, CURSOR_PAGING)
  if (isPending)
    return (
      <Stack gap="md" aria-busy aria-label="Loading scorecards">
        <Skeleton height={124} />
        <Skeleton height={124} />
      </Stack>
    )
  if (error) return <ErrorState error={error} what="scorecards" retry={() => void refetch()} />
  const codes = data.pages.flatMap(({ items }) => items)
  if (codes.length === 0)
    return (
      <EmptyState icon={IconScale} title="No scorecards deployed" action={upload}>
        Insights have fragments but no scores. Upload a scorecard to backtest it on stored datasets.
      </EmptyState>
    )
  return (
    <Stack gap="md">
      {codes.map((card) => (
        <CodeCard key={card.code} {...card} />
      ))}
      {hasNextPage && <LoadMore loading={isFetchingNextPage} load={() => void fetchNextPage()} />}
    </Stack>
  )
}
