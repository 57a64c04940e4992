import { Skeleton, Stack } from '@mantine/core'
import { queries } from '../../client/api.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PolicySection } from './policy-section.tsx'
import { SsoSection } from './sso-section.tsx'

/** Rules that the subscription sets for its users. */
export function SecurityPage() {
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/policy/v1')
  return (
    <>
      <PageHeader
        title="Security"
        description="How users of your subscription sign in, and who approves their changes."
      />
      <Stack gap="xl">
        {error !== null ? (
          <ErrorState error={error} what="the policy" retry={() => void refetch()} />
        ) : isPending ? (
          <Skeleton h={240} />
        ) : (
          <PolicySection policy={data} onChanged={() => void refetch()} />
        )}
        <SsoSection />
      </Stack>
    </>
  )
}
