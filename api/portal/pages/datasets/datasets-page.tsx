import { Button, Center, VisuallyHidden } from '@mantine/core'
import { IconArrowUp, IconDatabase, IconSearchOff } from '@tabler/icons-react'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { pluralText } from '../../parts/formats.ts'
import { InvalidFilters } from '../../parts/invalid-filters.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { TableSkeleton } from '../../parts/table-skeleton.tsx'
import { DatasetTable } from './dataset-table.tsx'
import styles from './datasets-page.module.css'
import { ExportButton } from './export-button.tsx'
import { FilterBar } from './filter-bar.tsx'
import { NO_FILTERS, useFilters } from './filters.ts'
import { ListEnd } from './list-end.tsx'
import { useDatasetList } from './use-dataset-list.ts'

const DESCRIPTION = 'Uploaded datasets and their results'

/** Lists the datasets of a search, live. */
export function DatasetsPage() {
  const { filters, errors, search, change } = useFilters()
  if (errors.length === 0) return <SearchResults filters={filters} search={search} change={change} />
  return (
    <>
      <PageHeader title="Datasets" description={DESCRIPTION} />
      <InvalidFilters
        errors={errors.map(({ text }) => text)}
        remove={() =>
          change(Object.fromEntries(errors.flatMap(({ names }) => names).map((name) => [name, undefined])))
        }
      />
    </>
  )
}

function SearchResults({ filters, search, change }: Omit<ReturnType<typeof useFilters>, 'errors'>) {
  // the API orders other searches by the identifiers that match
  const isNewestFirst =
    (filters.search ?? filters.referenceNumber) === undefined ||
    filters.deviceId !== undefined ||
    filters.clientId !== undefined
  const list = useDatasetList(search, isNewestFirst)
  const { items, error } = list
  const codes = useMemo(
    () => [...new Set(items.flatMap(({ scores }) => scores.map(({ code }) => code)))],
    [items],
  )
  const errorState = error && <ErrorState error={error} what="datasets" retry={() => void list.refetch()} />
  return (
    <>
      <PageHeader
        title="Datasets"
        description={DESCRIPTION}
        actions={items.length > 0 && <ExportButton search={search} />}
      />
      <FilterBar filters={filters} change={change} codes={codes} />
      <VisuallyHidden role="status">
        {!list.isLoading && !list.isReplacing && !error && countOf(items.length, list.hasMore)}
      </VisuallyHidden>
      {list.newCount > 0 && (
        <Center mb="sm" className={styles.newDatasets ?? ''}>
          <Button
            size="compact-sm"
            leftSection={<IconArrowUp size={14} aria-hidden />}
            onClick={() => {
              list.showNew()
              window.scrollTo({ top: 0 })
            }}
          >
            {list.hasManyNew ? 'Many' : list.newCount} new
          </Button>
        </Center>
      )}
      {list.isLoading ? (
        <TableSkeleton />
      ) : items.length > 0 ? (
        <DatasetTable items={items} isFaded={list.isReplacing} />
      ) : (
        !error &&
        !list.isSearching &&
        !list.hasMore && (
          <NoDatasets isFiltered={Object.keys(filters).length > 0} clear={() => change(NO_FILTERS)} />
        )
      )}
      {errorState}
      {!list.isLoading && !error && <ListEnd list={list} isNewestFirst={isNewestFirst} />}
    </>
  )
}

/** The number of results, for screen readers. */
const countOf = (count: number, hasMore: boolean) =>
  `${pluralText(count, 'dataset')} ${hasMore ? 'loaded, more available' : 'found'}`

function NoDatasets({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
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
        Search matches the beginning of reference numbers, clients and devices. It is not case-sensitive.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={IconDatabase}
      title="No datasets yet"
      action={
        <Button component={Link} to="/start">
          Upload a dataset
        </Button>
      }
    >
      Datasets appear here as soon as they are uploaded.
    </EmptyState>
  )
}
