import { Stack } from '@mantine/core'
import { useUser } from '../../client/session.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { OwnFactors } from './own-factors.tsx'
import { OwnSessions } from './own-sessions.tsx'
import { PasswordForm } from './password-form.tsx'

export function AccountPage() {
  const { email, role, subscription } = useUser()
  return (
    <>
      <PageHeader title="Account" description={`${email}, ${role} of ${subscription}`} />
      <Stack gap="xl">
        <OwnSessions />
        <OwnFactors />
        <PasswordForm />
      </Stack>
    </>
  )
}
