import { Center, Loader } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { EmptyState } from '../parts/empty-state.tsx'
import { ErrorState } from '../parts/error-state.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { api, queries } from './api.ts'
import { ApiProblem } from './api-problem.ts'

/** Who is logged in. */
export interface SessionUser {
  readonly email: string
  readonly role: 'admin' | 'analyst'
  readonly subscription: string
}

interface Session {
  /** Undefined while nobody is. */
  readonly user: SessionUser | undefined
  readonly loading: boolean
  readonly error: unknown
  /** @throws ApiProblem as `POST /api/account/v1/session` answers. */
  logIn(credentials: { userEmail: string; password: string }): Promise<void>
  logOut(): Promise<void>
}

const SessionContext = createContext<Session | undefined>(undefined)

/** Knows the session of this browser, which lives in cookies that no script can read. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const { data, error, isPending } = queries.useQuery(
    'get',
    '/api/account/v1/session' as never,
    {} as never,
    {
      staleTime: 60_000,
    },
  ) as unknown as { data: SessionUser | undefined; error: unknown; isPending: boolean }
  const nobody = error instanceof ApiProblem && error.status === 401
  const session: Session = {
    user: nobody ? undefined : data,
    loading: isPending,
    error: nobody ? undefined : error,
    async logIn(body) {
      await api.POST('/api/account/v1/session' as never, { body } as never)
      await client.resetQueries()
    },
    async logOut() {
      await api.DELETE('/api/account/v1/session' as never, {} as never)
      location.assign('/login') // whatever pages remember of this user is gone with them
    },
  }
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('There is no SessionProvider around this')
  return session
}

/** Who is logged in, on pages behind the login. */
export function useUser(): SessionUser {
  const { user } = useSession()
  if (!user) throw new Error('This page is not behind RequireLogin')
  return user
}

/** Shows its pages to those who are logged in; others log in first and come back. */
export function RequireLogin() {
  const { user, loading, error } = useSession()
  const { pathname, search } = useLocation()
  if (user) return <Outlet />
  if (loading)
    return (
      <Center h="100dvh">
        <Loader aria-label="Loading" />
      </Center>
    )
  if (error) return <ErrorState error={error} retry={() => location.reload()} />
  const from = pathname === '/' ? '' : `?next=${encodeURIComponent(pathname + search)}`
  return <Navigate to={`/login${from}`} replace />
}

/** Shows its pages to admins, and others whom to ask. */
export function RequireAdmin() {
  if (useUser().role === 'admin') return <Outlet />
  return (
    <>
      <PageHeader title="For admins" />
      <EmptyState icon={IconLock} title="This page is for admins">
        You are logged in as an analyst. Ask an admin of your subscription to do it, or to make you an admin
        too.
      </EmptyState>
    </>
  )
}
