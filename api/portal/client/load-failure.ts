/** When a page was last reloaded because a part of it could not be loaded, in milliseconds; public/boot.js has it too. */
const RELOADED_AT = 'inkling.reloaded-at'

/** A page is reloaded by itself once in so long, so that a part that stays missing does not reload it for ever. */
const RELOAD_INTERVAL_MS = 60_000

const RETRY_MS = 5_000

const failures = new WeakSet<object>()

// Vite's word for a script or stylesheet of the build that could not be loaded; browsers word the error itself each in their own way
addEventListener('vite:preloadError', ({ payload }) => failures.add(payload))

/** Whether an error says that a part of the portal could not be loaded, as after a deployment. */
export const isLoadFailure = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && failures.has(error)

/** Reloads the page, which loads the current version of each part, unless that was done in the last minute. */
export function reloadOnce(): boolean {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_INTERVAL_MS) return false
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
  return true
}

/**
 * Reloads the page as soon as the part that is missing is there, or the service has another version. Asks every 5 s.
 *
 * @returns a function that stops asking.
 */
export function reloadWhenAvailable(error: unknown): () => void {
  const part = /(?:https?:\/)?\/\S+/.exec(error instanceof Error ? error.message : '')?.[0]
  const current = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? ''
  const timer = setInterval(async () => {
    const page = await fetchText(location.href)
    if (page === undefined) return
    const isNewVersion = !page.includes(new URL(current, location.href).pathname)
    if (isNewVersion || part === undefined || (await fetchText(part)) !== undefined) location.reload()
  }, RETRY_MS)
  return () => clearInterval(timer)
}

/** What the service answers now, past all caches; undefined when there is nothing or no answer. */
async function fetchText(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { cache: 'no-store', headers: { Accept: 'text/html' } })
    return answer.ok ? await answer.text() : undefined
  } catch {
    return undefined
  }
}
