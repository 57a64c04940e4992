import { Button, Center, Skeleton, Stack } from '@mantine/core'
import { useWindowScroll } from '@mantine/hooks'
import { IconArrowUp, IconDatabase, IconSearchOff } from '@tabler/icons-react'
import { useEffect, useMemo } from 'react'
import { Link } from 'react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { DatasetTable } from './dataset-table.tsx'
import styles from './datasets-page.module.css'
import { ExportButton } from './export-button.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type AddressFilters, useFilters } from './filters.ts'
import { SearchEnd } from './search-end.tsx'
import { useDatasetSearch } from './use-dataset-search.ts'
import { useWatchedDatasets } from './use-watched-datasets.ts'

/** New uploads show by themselves to who is so near the top that nothing jumps away. */
const NEAR_TOP_PX = 80

/** Search for datasets: what was uploaded and what became of it, live. */
export function DatasetsPage() {
  const { filters, search, change } = useFilters()
  const found = useDatasetSearch(search)
  const { items, update, prepend, restart } = found
  const isByTime =
    (filters.search ?? filters.referenceNumber) === undefined ||
    filters.deviceId !== undefined ||
    filters.clientId !== undefined
  const fresh = useWatchedDatasets({
    ...{ search, items, update },
    enabled: !found.isLoading && !found.isReplacing && !found.error,
  })
  const [{ y }] = useWindowScroll()
  const showFresh = isByTime && fresh.length < 50 ? () => prepend(fresh) : () => void restart()
  const isNearTop = y < NEAR_TOP_PX
  useEffect(() => {
    if (fresh.length > 0 && isNearTop && isByTime) showFresh()
  })
  const codes = useMemo(
    () => [...new Set(items.flatMap(({ scores }) => scores.map(({ code }) => code)))],
    [items],
  )
  const isFiltered = Object.keys(filters).length > 0

  return (
    <>
      <PageHeader
        title="Datasets"
        description="Uploaded datasets and their results"
        actions={items.length > 0 && <ExportButton search={search} />}
      />
      <FilterBar filters={filters} change={change} codes={codes} />
      {fresh.length > 0 && !(isNearTop && isByTime) && (
        <Center mb="sm" className={styles.fresh ?? ''}>
          <Button
            size="compact-sm"
            leftSection={<IconArrowUp size={14} aria-hidden />}
            onClick={() => {
              showFresh()
              window.scrollTo({ top: 0 })
            }}
          >
            {fresh.length < 50 ? fresh.length : 'Many'} new
          </Button>
        </Center>
      )}
      {found.isLoading ? (
        <TableSkeleton />
      ) : found.error && items.length === 0 ? (
        <ErrorState error={found.error} what="datasets" retry={() => void found.refetch()} />
      ) : items.length > 0 ? (
        <DatasetTable items={items} isFaded={found.isReplacing} />
      ) : (
        !found.isSearching &&
        !found.hasMore && <Nothing isFiltered={isFiltered} clear={() => change(EMPTY)} />
      )}
      {found.error && items.length > 0 && (
        <ErrorState error={found.error} what="datasets" retry={() => void found.refetch()} />
      )}
      {!found.isLoading && !found.error && (
        <SearchEnd
          isSearching={found.isSearching}
          hasMore={found.hasMore}
          isDense={found.isDense}
          {...{ through: found.through, isByTime, more: found.more, stop: found.stop }}
        />
      )}
    </>
  )
}

const EMPTY: Record<keyof AddressFilters, undefined> = {
  ...{
    search: undefined,
    referenceNumber: undefined,
    status: undefined,
    platform: undefined,
    period: undefined,
  },
  ...{ since: undefined, until: undefined, scoreCode: undefined, scoreFrom: undefined, scoreTo: undefined },
  ...{ clientId: undefined, deviceId: undefined, invalidCode: undefined },
}

function Nothing({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  if (isFiltered)
    return (
      <EmptyState
        icon={IconSearchOff}
        title="No results"
        action={
          <Button variant="default" onClick={clear}>
            Clear all filters
          </Button>
        }
      >
        The search finds reference numbers, clients and devices that begin with the text. Upper and lower case
        are equal.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={IconDatabase}
      title="No datasets yet"
      action={
        <Button component={Link} to="/start">
          Upload the first one
        </Button>
      }
    >
      They appear here by themselves as soon as they are uploaded.
    </EmptyState>
  )
}

function TableSkeleton() {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: 8 }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={at} height={48} />
      ))}
    </Stack>
  )
}
