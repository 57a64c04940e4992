import { Button, Paper, Skeleton, Stack } from '@mantine/core'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { queries } from '../../client/api.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import type { Asked, MadeLink } from './asked.ts'
import { ChangeUserDialog } from './change-user-dialog.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { UsersTable } from './users-table.tsx'

export function UsersPage() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    queries.useInfiniteQuery(
      'get',
      '/api/users/v1',
      {},
      {
        pageParamName: 'cursor',
        initialPageParam: undefined as string | undefined,
        getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
      },
    )
  const [inviting, setInviting] = useState(false)
  const [asked, setAsked] = useState<Asked>()
  const [made, setMade] = useState<MadeLink>()
  const users = data?.pages.flatMap(({ items }) => items) ?? []

  const invite = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
      Invite a user
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Users"
        description="People of your subscription who log in. Analysts read datasets and insights; admins manage users, keys and scorecards as well."
        actions={invite}
      />
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : isPending ? (
        <Stack gap="xs">
          {[0, 1, 2].map((row) => (
            <Skeleton key={row} h={48} />
          ))}
        </Stack>
      ) : users.length === 0 ? (
        <EmptyState icon={IconUsers} title="No users yet" />
      ) : (
        <Paper withBorder>
          <UsersTable users={users} ask={setAsked} />
        </Paper>
      )}
      {hasNextPage && (
        <Button mt="md" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      <InviteDialog
        opened={inviting}
        close={() => setInviting(false)}
        invited={(link) => {
          setInviting(false)
          setMade(link)
          void refetch()
        }}
      />
      <ChangeUserDialog
        asked={asked}
        close={() => setAsked(undefined)}
        changed={() => refetch()}
        made={setMade}
      />
      <LinkDialog made={made} close={() => setMade(undefined)} />
    </>
  )
}
