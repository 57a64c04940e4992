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

/** Answers without an event after which the search waits to be asked: 400,000 events. */
const MAX_EMPTY = 20

export function AuditPage() {
  const { faults, change } = useAuditFilters()
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed what in this subscription, and when. It cannot be edited."
      />
      {faults.length === 0 ? (
        <Log />
      ) : (
        <InvalidFilters
          faults={faults.map(({ text }) => text)}
          remove={() => change(Object.fromEntries(faults.map(({ name }) => [name, ''])))}
        />
      )}
    </>
  )
}

function Log() {
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
  const empty = countEmpty(data?.pages ?? [])
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
        !hasNextPage && <Nothing isFiltered={any} clear={clear} />
      )}
      {hasNextPage && last?.searchedThrough && empty > 0 && (
        <Group justify="center" mt="md" gap="xs" role="status">
          {searching && <Loader size="xs" aria-hidden />}
          <Text size="sm" c="dimmed">
            {searching ? 'Searching; so far' : 'Searched'} back to <TimeText at={last.searchedThrough} />
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

function Nothing({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  if (isFiltered)
    return (
      <EmptyState
        icon={IconHistory}
        title="Nothing of that was recorded"
        action={
          <Button variant="default" onClick={clear}>
            Clear the filters
          </Button>
        }
      >
        Look for somebody else, for something else, or at other days.
      </EmptyState>
    )
  return (
    <EmptyState icon={IconHistory} title="Nothing was changed yet">
      Here you will see who created or revoked keys, deployed scorecards, invited users, or deleted datasets.
    </EmptyState>
  )
}

/** How many answers came without an event, since the last one with some. */
function countEmpty(pages: readonly { readonly items: readonly unknown[] }[]): number {
  const full = pages.findLastIndex(({ items }) => items.length > 0)
  return pages.length - 1 - full
}
