import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { queries } from '../../client/api.ts'
import { CURSOR_PAGING } from '../../client/cursor-paging.ts'
import { useDraft } from '../../client/use-draft.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { LoadMore } from '../../parts/load-more.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { TableSkeleton } from '../../parts/table-skeleton.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KEY_COLUMNS } from './key-columns.tsx'
import { KeyDraft } from './key-draft.ts'
import { KeyTabs } from './key-tabs.tsx'

export function KeysPage() {
  const draft = useDraft('key', KeyDraft)
  const [creating, { open, close }] = useDisclosure(draft.initial !== undefined)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = queries.useInfiniteQuery(
    'get',
    '/api/keys/v1',
    {},
    CURSOR_PAGING,
  )
  const keys = data?.pages.flatMap(({ items }) => items)
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create key
    </Button>
  )
  return (
    <>
      <KeyTabs />
      <PageHeader
        title="API keys"
        description="Your systems use keys to upload datasets and read insights. A key is shown once, when it is created."
        actions={createButton}
      />
      {keys ? (
        keys.length > 0 ? (
          <RecordTable
            label="API keys"
            columns={KEY_COLUMNS}
            rows={keys}
            rowId={({ id }) => String(id)}
            isDimmed={({ state }) => state !== 'live'}
          />
        ) : (
          <EmptyState icon={IconKey} title="No keys yet" action={createButton}>
            Create one for each system, so that you can revoke them separately.
          </EmptyState>
        )
      ) : error ? (
        <ErrorState error={error} what="API keys" retry={() => void refetch()} />
      ) : (
        <TableSkeleton />
      )}
      {hasNextPage && <LoadMore loading={isFetchingNextPage} load={() => void fetchNextPage()} />}
      <CreateKeyDialog
        opened={creating}
        close={() => {
          draft.remove()
          close()
        }}
      />
    </>
  )
}
