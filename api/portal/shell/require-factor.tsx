import { lazy, Suspense } from 'react'
import { Outlet } from 'react-router'
import { useUser } from '../client/session.tsx'

const FactorRequiredPage = lazy(async () => ({
  default: (await import('./factor-required-page.tsx')).FactorRequiredPage,
}))

/** Shows its pages, unless the policy of the subscription requires a second factor that the user has not added yet. */
export function RequireFactor() {
  if (!useUser().factorMissing) return <Outlet />
  return (
    <Suspense>
      <FactorRequiredPage />
    </Suspense>
  )
}
