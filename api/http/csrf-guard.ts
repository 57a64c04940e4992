import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from './problem.ts'

/**
 * CSRF guard: rejects requests with cookies that the portal's own pages did not send.
 *
 * A browser adds cookies to every request to this host, whichever page made it. `SameSite=Strict` excludes other sites, but not
 * sibling subdomains or old browsers. Forms, images and links cannot set custom headers, and scripts of another origin need a
 * preflight, which is never granted here. `Sec-Fetch-Site` is set by the browser and cannot be changed by scripts; for browsers
 * without it, the custom header alone decides.
 *
 * @throws Problem `forbidden`
 * @see OWASP Cross-Site Request Forgery Prevention Cheat Sheet, custom request headers and Fetch Metadata
 */
export function requirePortal(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'] ?? 'same-origin'
  if (headers['x-inkling-portal'] === '1' && site === 'same-origin') return
  throw CROSS_SITE
}

const CROSS_SITE = new Problem('forbidden', {
  detail:
    "Cookies are accepted only from the portal's own pages, which send X-Inkling-Portal: 1; programs send a " +
    'credential as Authorization: Bearer …',
})
