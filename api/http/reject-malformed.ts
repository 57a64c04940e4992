import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { countFields } from './count-fields.ts'
import { Problem } from './problem.ts'

/** Same as Apache's default; a client behind several proxies sends about 40. */
const MAX_FIELDS = 100

/** A host with or without a port; not validated further, because no code depends on it. */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/** Prefix of an absolute request target, as sent to proxies. */
const ORIGIN = /^https?:\/\/[^/?#]*(?=\/)/i

/** Rejects malformed requests that Node's parser accepts. */
export const rejectMalformed: Middleware = (ctx, next) => {
  const { req: request } = ctx
  if (request.rawHeaders.length > 2 * MAX_FIELDS) throw new Problem('headers_too_large')
  const detail = findError(request)
  if (detail !== undefined) {
    ctx.set('Connection', 'close') // a proxy may have parsed the request differently
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
  if (url.includes('#')) return 'The request target must not have a fragment'
  if (!url.startsWith('/') && !url.startsWith('*') && !ORIGIN.test(url))
    return 'The request target is neither a path nor a URL'
  if (host === undefined && httpVersion === '1.1') return 'HTTP/1.1 requires a Host header'
  if (host !== undefined && (!HOST.test(host) || countFields(rawHeaders, 'host') > 1))
    return 'Send one Host header, with or without a port'
  if (coding.toLowerCase() !== 'chunked') return 'The only supported Transfer-Encoding is chunked'
  return undefined
}
