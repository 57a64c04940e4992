import { Button } from '@mantine/core'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { queries } from '../../client/api.ts'
import { CURSOR_PAGING } from '../../client/cursor-paging.ts'
import { useUser } from '../../client/session.tsx'
import { useDraft } from '../../client/use-draft.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { LoadMore } from '../../parts/load-more.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { TableSkeleton } from '../../parts/table-skeleton.tsx'
import { ChangeUserDialog } from './change-user-dialog.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { InviteDraft } from './invite-draft.ts'
import { LinkDialog } from './link-dialog.tsx'
import { userColumns } from './user-columns.tsx'
import type { CreatedLink, UserChange } from './user-types.ts'

export function UsersPage() {
  const { userId } = useUser()
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    queries.useInfiniteQuery('get', '/api/users/v1', {}, CURSOR_PAGING)
  const draft = useDraft('invite', InviteDraft)
  const [inviting, setInviting] = useState(draft.initial !== undefined)
  const [change, setChange] = useState<UserChange>()
  const [created, setCreated] = useState<CreatedLink>()
  const columns = useMemo(() => userColumns(userId, setChange), [userId])
  const users = data?.pages.flatMap(({ items }) => items) ?? []

  const invite = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
      Invite user
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Users"
        description="Users of your subscription. Analysts read datasets and insights; admins also manage users, keys and scorecards."
        actions={invite}
      />
      {error ? (
        <ErrorState error={error} what="users" retry={() => void refetch()} />
      ) : isPending ? (
        <TableSkeleton rows={3} />
      ) : users.length === 0 ? (
        <EmptyState icon={IconUsers} title="No users yet" />
      ) : (
        <RecordTable label="Users" columns={columns} rows={users} rowId={({ id }) => String(id)} />
      )}
      {hasNextPage && <LoadMore loading={isFetchingNextPage} load={() => void fetchNextPage()} />}
      <InviteDialog
        opened={inviting}
        close={() => {
          draft.remove()
          setInviting(false)
        }}
        onInvited={(link) => {
          draft.remove()
          setInviting(false)
          setCreated(link)
          void refetch()
        }}
      />
      <ChangeUserDialog
        change={change}
        close={() => setChange(undefined)}
        onChanged={() => refetch()}
        onLinkCreated={setCreated}
      />
      <LinkDialog created={created} close={() => setCreated(undefined)} />
    </>
  )
}
