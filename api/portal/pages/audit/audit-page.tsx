import { Button, Group, Loader, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useEffect, useMemo, useState } from 'react'
import { queries } from '../../client/api.ts'
import { CURSOR_PAGING } from '../../client/cursor-paging.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { InvalidFilters } from '../../parts/invalid-filters.tsx'
import { LoadMore } from '../../parts/load-more.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { TableSkeleton } from '../../parts/table-skeleton.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { auditColumns } from './audit-columns.tsx'
import { AuditFilterBar } from './audit-filter-bar.tsx'
import { queryOf, useAuditFilters } from './audit-filters.ts'
import type { AuditEvent } from './describe-event.ts'
import { EventDetails } from './event-details.tsx'

/** Empty pages after which the search pauses: 400,000 events. */
const MAX_EMPTY = 20

export function AuditPage() {
  const { errors, change } = useAuditFilters()
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Sign-ins, views, searches, exports and all changes in this subscription. Entries cannot be changed or deleted."
      />
      {errors.length === 0 ? (
        <AuditLog />
      ) : (
        <InvalidFilters
          errors={errors.map(({ text }) => text)}
          remove={() => change(Object.fromEntries(errors.map(({ name }) => [name, ''])))}
        />
      )}
    </>
  )
}

function AuditLog() {
  const { filters, any, change, clear } = useAuditFilters()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = queries.useInfiniteQuery(
    'get',
    '/api/audit/v1',
    { params: { query: queryOf(filters) } },
    CURSOR_PAGING,
  )
  const [shown, setShown] = useState<AuditEvent>()
  const columns = useMemo(
    () => auditColumns({ searchActor: (actor) => change({ actor }), show: setShown }),
    [change],
  )
  const events = data?.pages.flatMap(({ items }) => items)
  const last = data?.pages.at(-1)
  const empty = countEmptyPages(data?.pages ?? [])
  const searching = hasNextPage && empty > 0 && empty % MAX_EMPTY !== 0

  useEffect(() => {
    if (searching && !isFetchingNextPage && !error) void fetchNextPage()
  }, [searching, isFetchingNextPage, error, fetchNextPage])

  return (
    <>
      <AuditFilterBar />
      {error ? (
        <ErrorState error={error} what="the audit log" retry={() => void refetch()} />
      ) : !events ? (
        <TableSkeleton />
      ) : events.length > 0 ? (
        <RecordTable label="Audit log" columns={columns} rows={events} rowId={({ id }) => String(id)} />
      ) : (
        !hasNextPage && <NoEvents isFiltered={any} clear={clear} />
      )}
      {hasNextPage && last?.searchedThrough && empty > 0 && (
        <Group justify="center" mt="md" gap="xs" role="status">
          {searching && <Loader size="xs" aria-hidden />}
          <Text size="sm" c="dimmed">
            {searching ? 'Searching, so far' : 'Searched'} back to <TimeText at={last.searchedThrough} />
          </Text>
        </Group>
      )}
      {hasNextPage && !searching && (
        <LoadMore
          loading={isFetchingNextPage}
          load={() => void fetchNextPage()}
          label={empty > 0 ? 'Search further back' : 'Load more'}
        />
      )}
      <EventDetails event={shown} close={() => setShown(undefined)} />
    </>
  )
}

function NoEvents({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  if (isFiltered)
    return (
      <EmptyState
        icon={IconHistory}
        title="No matching events"
        action={
          <Button variant="default" onClick={clear}>
            Clear filters
          </Button>
        }
      >
        Try another actor, action or date range.
      </EmptyState>
    )
  return (
    <EmptyState icon={IconHistory} title="No events yet">
      This log records sign-ins, views and exports of datasets, and all changes, with their actors.
    </EmptyState>
  )
}

/** Number of empty pages after the last page with events. */
function countEmptyPages(pages: readonly { readonly items: readonly unknown[] }[]): number {
  const last = pages.findLastIndex(({ items }) => items.length > 0)
  return pages.length - 1 - last
}
