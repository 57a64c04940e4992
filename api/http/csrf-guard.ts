import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from './problem.ts'

/**
 * Refuses whatever a browser sent that was not the portal's own doing, before a cookie counts.
 *
 * A browser adds cookies to every request to this host, whichever page made it; `SameSite=Strict` keeps those of other
 * sites out, but not those of a sibling subdomain or an old browser. No form, image or link can set a header of its own, and a
 * script of another origin only after a preflight, which is never granted here. `Sec-Fetch-Site` is the browser's word on where
 * the page is from, that no script can change; a browser too old to say it is judged by the header alone.
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
    "Cookies count in requests of the portal's own pages only, which send X-Inkling-Portal: 1; programs send a " +
    'credential as Authorization: Bearer …',
})
