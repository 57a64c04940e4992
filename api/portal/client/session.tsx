import { Container } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { EmptyState } from '../parts/empty-state.tsx'
import { ErrorState } from '../parts/error-state.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { api, queries } from './api.ts'
import { ApiProblem } from './api-problem.ts'
import { removeDrafts } from './drafts.ts'
import type { components } from './openapi.d.ts'
import { msUntilRefresh, onSessionExpired, refreshSession } from './refresh-session.ts'
import { onTokenExpiryChange, removeTokenExpiry, saveTokenExpiry } from './token-expiry.ts'
import { recordActivity } from './use-idle.ts'

/** Who is logged in. */
export type SessionUser = components['schemas']['Session']

/** Why somebody sees the login page who was in before. */
export type SignOutReason = 'idle' | 'over'

interface Session {
  /** Undefined while nobody is. */
  readonly user: SessionUser | undefined
  readonly loading: boolean
  readonly error: unknown
  /** Asks again who is signed in. */
  retry(): void
  /** Whether the session ended while it was used, and not by logging out. */
  readonly isExpired: boolean
  /**
   * @throws ApiProblem as `POST /api/account/v1/session` answers; `cookies_refused` when the browser did not keep the cookies.
   */
  signIn(credentials: { userEmail: string; password: string }): Promise<void>
  /** Ends the session, and loads the login page, which says why; with `idle` it leads back here. */
  signOut(reason?: SignOutReason): Promise<void>
}

const SessionContext = createContext<Session | undefined>(undefined)

const PATH = '/api/account/v1/session'

const shown = queries.queryOptions('get', PATH)

/** After a token could not be exchanged, since the service or the way to it is away. */
const RETRY_MS = 10_000

/** Knows the session of this browser, which lives in cookies that no script can read, and goes on with it in time. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [isExpired, setExpired] = useState(false)
  const { data, error, isPending, refetch } = useQuery({ ...shown, staleTime: 60_000 })
  const isSignedOut = isExpired || (error instanceof ApiProblem && error.status === 401)
  const user = isSignedOut ? undefined : data
  const userId = user?.userId

  useEffect(
    () =>
      onSessionExpired(() => {
        if (client.getQueryData(shown.queryKey) !== undefined) setExpired(true)
      }),
    [client],
  )

  useEffect(() => {
    if (userId === undefined) return
    let timer: ReturnType<typeof setTimeout>
    const wait = (ms = msUntilRefresh() ?? RETRY_MS) => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        refreshSession().then(
          (goesOn) => (goesOn ? wait() : setExpired(true)),
          () => wait(RETRY_MS),
        )
      }, ms)
    }
    wait()
    const stop = onTokenExpiryChange((until) => {
      if (until === undefined) return setExpired(true)
      void client.invalidateQueries({ queryKey: shown.queryKey }) // perhaps it is somebody else now
      wait()
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [userId, client])

  const signIn = useCallback(
    async (body: { userEmail: string; password: string }) => {
      const answer = await api.POST(PATH, { body })
      if (answer.data) saveTokenExpiry(answer.data.tokenSeconds)
      const kept = await api.GET(PATH).catch((problem: ApiProblem) => {
        if (problem.status !== 401) throw problem
        removeTokenExpiry()
        throw cookiesRejected()
      })
      recordActivity()
      removeDrafts(kept.data?.userId)
      client.setQueryData(shown.queryKey, kept.data)
      // what was read as somebody else is not shown
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== PATH })
      setExpired(false)
    },
    [client],
  )

  const signOut = useCallback(async (reason?: SignOutReason) => {
    const next = reason && `${location.pathname}${location.search}`
    removeTokenExpiry()
    if (reason === undefined) removeDrafts()
    await api.DELETE(PATH).catch(() => undefined) // who is away cannot be asked to try again
    // a new page: whatever this one remembers of the user is gone
    location.assign(`/login${reason ? `?reason=${reason}&next=${encodeURIComponent(next ?? '/')}` : ''}`)
  }, [])

  const session = useMemo<Session>(
    () => ({
      user,
      loading: isPending && !isSignedOut,
      error: isSignedOut ? undefined : error,
      isExpired,
      retry: () => void refetch(),
      signIn,
      signOut,
    }),
    [user, isPending, isSignedOut, error, isExpired, refetch, signIn, signOut],
  )
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>
}

const cookiesRejected = () =>
  new ApiProblem({
    status: 0,
    title: 'cookies_refused',
    detail:
      'Your browser did not keep the cookies of this page. It keeps them by https only, or on this machine by the name ' +
      'localhost: open the portal by such an address, and allow its cookies.',
  })

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
export function RequireSignIn() {
  const { user, loading, error, retry, isExpired } = useSession()
  const { pathname, search } = useLocation()
  if (user) return <Outlet />
  if (loading) return null // the shell of index.html is shown
  if (error)
    return (
      <Container py="xl" size="sm" component="main">
        <ErrorState error={error} what="your session" retry={retry} />
      </Container>
    )
  const params = new URLSearchParams()
  if (isExpired) params.set('reason', 'over')
  if (pathname !== '/') params.set('next', pathname + search)
  return <Navigate to={`/login${params.size > 0 ? `?${params}` : ''}`} replace />
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
