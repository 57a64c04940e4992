import { Button, Skeleton, Text } from '@mantine/core'
import { queries } from '../client/api.ts'
import { useSession, useUser } from '../client/session.tsx'
import { AddFactorButtons } from '../parts/add-factor-buttons.tsx'
import { ErrorState } from '../parts/error-state.tsx'
import { NarrowPage } from './narrow-page.tsx'
import { StepUpDialog } from './step-up-dialog.tsx'

/** Shown instead of all pages to a user who has to add a second factor first. */
export function FactorRequiredPage() {
  const { retry, signOut } = useSession()
  const { subscription } = useUser()
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/account/v1/factors')
  return (
    <NarrowPage title="Add a second factor">
      <StepUpDialog />
      <Text size="sm">
        {subscription} requires a second factor for your account. Add a passkey or an authenticator app to
        continue.
      </Text>
      {error !== null ? (
        <ErrorState error={error} what="your second factors" retry={() => void refetch()} />
      ) : isPending ? (
        <Skeleton h={36} />
      ) : (
        <AddFactorButtons passkeysAvailable={data.passkeysAvailable} onAdded={retry} />
      )}
      <Button variant="subtle" onClick={() => void signOut()}>
        Sign out
      </Button>
    </NarrowPage>
  )
}
