import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconWorld } from '@tabler/icons-react'
import { queries } from '../../client/api.ts'
import { CURSOR_PAGING } from '../../client/cursor-paging.ts'
import { useDraft } from '../../client/use-draft.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { LoadMore } from '../../parts/load-more.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { TableSkeleton } from '../../parts/table-skeleton.tsx'
import { KeyTabs } from '../keys/key-tabs.tsx'
import { CreateSiteKeyDialog } from './create-site-key-dialog.tsx'
import { SITE_KEY_COLUMNS } from './site-key-columns.tsx'
import { SiteKeyValues } from './site-key-values.ts'

export function SiteKeysPage() {
  const draft = useDraft('site-key', SiteKeyValues)
  const [creating, { open, close }] = useDisclosure(draft.initial !== undefined)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = queries.useInfiniteQuery(
    'get',
    '/api/site-keys/v1',
    {},
    CURSOR_PAGING,
  )
  const keys = data?.pages.flatMap(({ items }) => items)
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create site key
    </Button>
  )
  return (
    <>
      <KeyTabs />
      <PageHeader
        title="Site keys"
        description="Pages use a site key to send captures from browsers. It is public and can neither read nor upload. An origin list stops misuse by other pages, not by programs, which can send any origin."
        actions={createButton}
      />
      {keys ? (
        keys.length > 0 ? (
          <RecordTable
            label="Site keys"
            columns={SITE_KEY_COLUMNS}
            rows={keys}
            rowId={({ id }) => String(id)}
            isDimmed={({ state }) => state !== 'live'}
          />
        ) : (
          <EmptyState icon={IconWorld} title="No site keys yet" action={createButton}>
            Create one for each site, so that you can revoke them separately.
          </EmptyState>
        )
      ) : error ? (
        <ErrorState error={error} what="site keys" retry={() => void refetch()} />
      ) : (
        <TableSkeleton />
      )}
      {hasNextPage && <LoadMore loading={isFetchingNextPage} load={() => void fetchNextPage()} />}
      <CreateSiteKeyDialog opened={creating} close={close} />
    </>
  )
}
