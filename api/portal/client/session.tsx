import { Container } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { ErrorState } from '../parts/error-state.tsx'
import { recordActivity } from './activity.ts'
import { api, queries } from './api.ts'
import { ApiProblem } from './api-problem.ts'
import { removeDrafts } from './drafts.ts'
import { leaveTestMode } from './mode.ts'
import type { components } from './openapi.d.ts'
import { msUntilRefresh, onSessionExpired, refreshSession } from './refresh-session.ts'
import { onTokenExpiryChange, readTokenExpiry, removeTokenExpiry, saveTokenExpiry } from './token-expiry.ts'

/** The signed-in user. */
export type SessionUser = components['schemas']['Session']

/** Why a session ended, as the sign-in page shows it. */
export type SignOutReason = 'idle' | 'expired'

/** What a user signs in with. */
export type Credentials = components['schemas']['LoginRequest']

interface Session {
  /** Undefined while signed out. */
  readonly user: SessionUser | undefined
  readonly loading: boolean
  readonly error: unknown
  /** Loads the session again. */
  retry(): void
  /** Whether the session ended other than by signing out. */
  readonly isExpired: boolean
  /**
   * Signs in by e-mail and password, or completes a sign-in by a factor.
   *
   * @throws ApiProblem of `POST /api/account/v1/session` or `/factor`; `cookies_rejected` when the browser did not store the cookies.
   */
  signIn(credentials: Credentials | FactorAnswer): Promise<void>
  /** Ends the session and loads the sign-in page, which shows the reason and, if there is one, leads back here. */
  signOut(reason?: SignOutReason): Promise<void>
}

/** Answer to the challenge of a sign-in. */
type FactorAnswer = components['schemas']['FactorAnswer']

const SessionContext = createContext<Session | undefined>(undefined)

const PATH = '/api/account/v1/session'

const sessionQuery = queries.queryOptions('get', PATH)

/** Delay after a failed refresh, while the service or the network is unavailable. */
const RETRY_MS = 10_000

/** Provides the session of this browser, whose cookies no script can read, and refreshes it in time. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [isExpired, setExpired] = useState(false)
  const { data, error, isPending, refetch } = useQuery({ ...sessionQuery, staleTime: 60_000 })
  const isSignedOut = isExpired || (error instanceof ApiProblem && error.status === 401)
  const user = isSignedOut ? undefined : data
  const { userId, tokenSeconds = 0 } = user ?? {}

  useEffect(
    () =>
      onSessionExpired(() => {
        if (client.getQueryData(sessionQuery.queryKey) !== undefined) setExpired(true)
      }),
    [client],
  )

  useEffect(() => {
    if (userId === undefined) return
    // a sign-in at a provider leads here without a request of this page
    if (readTokenExpiry() === undefined) {
      saveTokenExpiry(tokenSeconds)
      removeDrafts(userId)
    }
    let timer: ReturnType<typeof setTimeout>
    const wait = (ms = msUntilRefresh() ?? RETRY_MS) => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        refreshSession().then(
          (isValid) => (isValid ? wait() : setExpired(true)),
          () => wait(RETRY_MS),
        )
      }, ms)
    }
    wait()
    const stop = onTokenExpiryChange((expiry) => {
      if (expiry === undefined) return setExpired(true)
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey }) // it may be another user now
      wait()
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [userId, tokenSeconds, client])

  const signIn = useCallback(
    async (body: Credentials | FactorAnswer) => {
      const signedIn =
        'challenge' in body ? await api.POST(`${PATH}/factor`, { body }) : await api.POST(PATH, { body })
      if (signedIn.data) saveTokenExpiry(signedIn.data.tokenSeconds)
      const session = await api.GET(PATH).catch((problem: ApiProblem) => {
        if (problem.status !== 401) throw problem
        removeTokenExpiry()
        throw cookiesRejected()
      })
      recordActivity()
      removeDrafts(session.data?.userId)
      client.setQueryData(sessionQuery.queryKey, session.data)
      // data loaded by another user must not be shown
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== PATH })
      setExpired(false)
    },
    [client],
  )

  const signOut = useCallback(
    async (reason?: SignOutReason) => {
      const next = reason && `${location.pathname}${location.search}`
      const isSso = client.getQueryData<SessionUser>(sessionQuery.queryKey)?.singleSignOn ?? false
      const provider = reason === undefined && isSso ? await findSignOutUrl() : null
      removeTokenExpiry()
      if (reason === undefined) {
        removeDrafts()
        leaveTestMode()
      }
      await api.DELETE(PATH).catch(() => undefined) // an idle user cannot be asked to retry
      // a full page load drops all data of the user from memory
      location.assign(
        provider ??
          `/login${reason ? `?reason=${reason}&next=${encodeURIComponent(next ?? '/')}${location.hash}` : ''}`,
      )
    },
    [client],
  )

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

/** Where the user also signs out of the provider of single sign-on. */
const findSignOutUrl = () =>
  api.POST('/api/account/v1/sso/sign-out').then(
    ({ data }) => data?.signOutUrl ?? null,
    () => null,
  )

const cookiesRejected = () =>
  new ApiProblem({
    status: 0,
    title: 'cookies_rejected',
    detail:
      'Your browser did not store the cookies of this page. Browsers store them only over HTTPS or on localhost. ' +
      'Open the portal at such an address and allow its cookies.',
  })

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession needs a SessionProvider')
  return session
}

/** The signed-in user, on pages inside `RequireSignIn`. */
export function useUser(): SessionUser {
  const { user } = useSession()
  if (!user) throw new Error('useUser needs RequireSignIn')
  return user
}

/** Shows its pages to signed-in users; others sign in first and come back. */
export function RequireSignIn() {
  const { user, loading, error, retry, isExpired } = useSession()
  const { pathname, search, hash } = useLocation()
  if (user) return <Outlet />
  if (loading) return null // the shell of index.html is shown
  if (error)
    return (
      <Container py="xl" size="sm" component="main">
        <ErrorState error={error} what="your session" retry={retry} />
      </Container>
    )
  const params = new URLSearchParams()
  if (isExpired) params.set('reason', 'expired')
  if (pathname !== '/') params.set('next', pathname + search)
  // the fragment is not sent, also not with the address of the sign-in page
  return <Navigate to={`/login${params.size > 0 ? `?${params}` : ''}${hash}`} replace />
}
