import { Skeleton, Stack } from '@mantine/core'
import { queries } from '../../client/api.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PersonSection } from './person-section.tsx'
import { RequestsSection } from './requests-section.tsx'
import { RetentionSection } from './retention-section.tsx'

/** Pause between reads of the requests while an erasure runs. */
const POLL_MS = 2_000

/** Rights of persons: what is stored of them, exports, erasures; and how long data is stored. */
export function PrivacyPage() {
  const requests = queries.useQuery('get', '/api/privacy/v1/requests', undefined, {
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ kind, state }) => kind === 'erase' && state === 'running') ? POLL_MS : false,
  })
  const retention = queries.useQuery('get', '/api/privacy/v1/retention')
  return (
    <>
      <PageHeader
        title="Privacy"
        description="Export or erase the data of a person on request, and set how long data is stored."
      />
      <Stack gap="xl">
        <PersonSection onRequested={() => void requests.refetch()} />
        {requests.error !== null ? (
          <ErrorState error={requests.error} what="the requests" retry={() => void requests.refetch()} />
        ) : requests.isPending ? (
          <Skeleton h={120} />
        ) : (
          <RequestsSection requests={requests.data.items} />
        )}
        {retention.error !== null ? (
          <ErrorState error={retention.error} what="the retention" retry={() => void retention.refetch()} />
        ) : retention.isPending ? (
          <Skeleton h={240} />
        ) : (
          <RetentionSection retention={retention.data} onChanged={() => void retention.refetch()} />
        )}
      </Stack>
    </>
  )
}
