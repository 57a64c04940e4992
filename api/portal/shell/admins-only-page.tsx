import { IconLock } from '@tabler/icons-react'
import { EmptyState } from '../parts/empty-state.tsx'
import { PageHeader } from '../parts/page-header.tsx'

/** Instead of a page that analysts may not see. */
export function AdminsOnlyPage() {
  return (
    <>
      <PageHeader title="Admins only" />
      <EmptyState icon={IconLock} title="This page is for admins">
        You are signed in as an analyst. Ask an admin of your subscription for help or for the admin role.
      </EmptyState>
    </>
  )
}
