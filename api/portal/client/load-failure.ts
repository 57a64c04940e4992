/** Time of the last reload after a failed load of a script or stylesheet, in milliseconds; also in public/boot.js. */
const RELOADED_AT = 'inkling.reloaded-at'

/** Least time between automatic reloads, so that a missing file does not cause a reload loop. */
const RELOAD_INTERVAL_MS = 60_000

const RETRY_MS = 5_000

const failures = new WeakSet<object>()

// Vite reports scripts and stylesheets of the build that fail to load; the errors themselves differ between browsers
addEventListener('vite:preloadError', ({ payload }) => failures.add(payload))

/** Whether an error is a failed load of a script or stylesheet of the portal, for example after a deployment. */
export const isLoadFailure = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && failures.has(error)

/** Reloads the page with the current version of all files, at most once a minute. */
export function reloadOnce(): boolean {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_INTERVAL_MS) return false
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
  return true
}

/**
 * Reloads the page as soon as the missing file is available or the service has another version. Polls every 5 s.
 *
 * @returns a function that stops polling.
 */
export function reloadWhenAvailable(error: unknown): () => void {
  const file = /(?:https?:\/)?\/\S+/.exec(error instanceof Error ? error.message : '')?.[0]
  const current = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? ''
  const timer = setInterval(async () => {
    const page = await fetchText(location.href)
    if (page === undefined) return
    const isNewVersion = !page.includes(new URL(current, location.href).pathname)
    if (isNewVersion || file === undefined || (await fetchText(file)) !== undefined) location.reload()
  }, RETRY_MS)
  return () => clearInterval(timer)
}

/** Fetches a text past all caches; undefined when it does not exist or the service is unavailable. */
async function fetchText(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { cache: 'no-store', headers: { Accept: 'text/html' } })
    return response.ok ? await response.text() : undefined
  } catch {
    return undefined
  }
}
