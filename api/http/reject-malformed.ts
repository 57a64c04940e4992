import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { Problem } from './problem.ts'

/** As Apache's default; a client behind several proxies sends about 40. */
const MAX_FIELDS = 100

/** A host with or without a port; not looked into further, since nothing here depends on it. */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/** What an absolute target, as proxies get it, has before its path. */
const ORIGIN = /^https?:\/\/[^/?#]*(?=\/)/i

/** Refuses what Node's parser lets pass, though no well-behaved client sends it. */
export const rejectMalformed: Middleware = (ctx, next) => {
  const { req: request } = ctx
  if (request.rawHeaders.length > 2 * MAX_FIELDS) throw new Problem('headers_too_large')
  const detail = findError(request)
  if (detail !== undefined) {
    ctx.set('Connection', 'close') // a proxy on the way may have seen another request than this one
    throw new Problem('malformed_request', { detail })
  }
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') {
    const { expect = [] } = request.headersDistinct
    if (expect.some((one) => one.toLowerCase() !== '100-continue')) throw new Problem('expectation_failed')
  }
  if (!request.url?.startsWith('/')) request.url = request.url?.replace(ORIGIN, '')
  return next()
}

/** @see RFC 9112, sections 3.2 and 6.1 */
function findError({ headers, rawHeaders, httpVersion, url = '' }: IncomingMessage): string | undefined {
  const { host, 'transfer-encoding': coding = 'chunked' } = headers
  if (url.includes('#')) return 'The target of a request has no fragment'
  if (!url.startsWith('/') && !url.startsWith('*') && !ORIGIN.test(url))
    return 'The target of the request is neither a path nor a URL'
  if (host === undefined && httpVersion === '1.1') return 'HTTP/1.1 wants a header Host'
  if (host !== undefined && (!HOST.test(host) || countHosts(rawHeaders) > 1))
    return 'Send one Host, with or without a port'
  if (coding.toLowerCase() !== 'chunked') return 'The one value of Transfer-Encoding taken is chunked'
  return undefined
}

/** In `headers` the first one stands for all; an object of all values of each header would cost five times all of this. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
