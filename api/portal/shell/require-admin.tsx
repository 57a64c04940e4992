import { lazy, Suspense } from 'react'
import { Outlet } from 'react-router'
import { useUser } from '../client/session.tsx'

const AdminsOnlyPage = lazy(async () => ({
  default: (await import('./admins-only-page.tsx')).AdminsOnlyPage,
}))

/** Shows its pages to admins; tells analysts to ask an admin. */
export function RequireAdmin() {
  if (useUser().role === 'admin') return <Outlet />
  return (
    <Suspense>
      <AdminsOnlyPage />
    </Suspense>
  )
}
