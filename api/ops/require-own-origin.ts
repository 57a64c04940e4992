import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../http/problem.ts'

/**
 * Rejects a request that a page of another origin made. Programs send neither header; they need the token of a question all the same.
 *
 * @param publicOrigin where browsers see this service, if it is known; the host of the request is accepted too.
 * @throws Problem `forbidden`
 */
export function requireOwnOrigin(headers: IncomingHttpHeaders, publicOrigin: string | undefined): void {
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = headers
  const isOwn = origin === undefined || origin === publicOrigin || URL.parse(origin)?.host === host
  if (isOwn && site === 'same-origin') return
  throw new Problem('forbidden', {
    detail: 'Only the pages for operators of this host may send this request',
  })
}
