import { Button, Center, Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { useWindowScroll } from '@mantine/hooks'
import { IconArrowUp, IconDatabase, IconSearchOff } from '@tabler/icons-react'
import { useEffect, useMemo } from 'react'
import { Link } from 'react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { InvalidFilters } from '../../parts/invalid-filters.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { DatasetTable } from './dataset-table.tsx'
import styles from './datasets-page.module.css'
import { ExportButton } from './export-button.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type AddressFilters, useFilters } from './filters.ts'
import { ListEnd } from './list-end.tsx'
import { useDatasetSearch } from './use-dataset-search.ts'
import { useWatchedDatasets } from './use-watched-datasets.ts'

/** New uploads show by themselves to who is so near the top that nothing jumps away. */
const NEAR_TOP_PX = 80

/** Uploaded datasets and their results, live. */
export function DatasetsPage() {
  const { filters, faults, search, change } = useFilters()
  if (faults.length === 0) return <Found filters={filters} search={search} change={change} />
  return (
    <>
      <PageHeader title="Datasets" description={DESCRIPTION} />
      <InvalidFilters
        faults={faults.map(({ text }) => text)}
        remove={() =>
          change(Object.fromEntries(faults.flatMap(({ names }) => names).map((name) => [name, undefined])))
        }
      />
    </>
  )
}

const DESCRIPTION = 'Uploaded datasets and their results'

function Found({ filters, search, change }: Omit<ReturnType<typeof useFilters>, 'faults'>) {
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
        description={DESCRIPTION}
        actions={items.length > 0 && <ExportButton search={search} />}
      />
      <FilterBar filters={filters} change={change} codes={codes} />
      <VisuallyHidden role="status">
        {!found.isLoading && !found.isReplacing && !found.error && countOf(items.length, found.hasMore)}
      </VisuallyHidden>
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
        <ListEnd
          isSearching={found.isSearching}
          hasMore={found.hasMore}
          isDense={found.isDense}
          {...{ through: found.through, isByTime, more: found.more, stop: found.stop }}
        />
      )}
    </>
  )
}

/** As screen readers announce it when a search has ended or goes on. */
const countOf = (count: number, hasMore: boolean) =>
  `${count} ${count === 1 ? 'dataset' : 'datasets'}${hasMore ? ' loaded, more available' : ' found'}`

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
