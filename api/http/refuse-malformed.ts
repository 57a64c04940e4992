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
export const refuseMalformed: Middleware = (ctx, next) => {
  const { req: request } = ctx
  if (request.rawHeaders.length > 2 * MAX_FIELDS) throw new Problem('headers_too_large')
  const detail = findFault(request)
  if (detail !== undefined) {
    ctx.set('Connection', 'close') // a proxy on the way may have seen another request than this one
    throw new Problem('malformed_request', { detail })
  }
  const { expect = [] } = request.headersDistinct
  if (request.httpVersion === '1.1' && expect.some((one) => one.toLowerCase() !== '100-continue'))
    throw new Problem('expectation_failed')
  request.url = request.url?.replace(ORIGIN, '')
  return next()
}

/** @see RFC 9112, sections 3.2 and 6.1 */
function findFault({ headersDistinct, httpVersion, url = '' }: IncomingMessage): string | undefined {
  const { host: hosts = [], 'transfer-encoding': codings = ['chunked'] } = headersDistinct
  if (url.includes('#')) return 'The target of a request has no fragment'
  if (!/^[/*]/.test(url) && !ORIGIN.test(url)) return 'The target of the request is neither a path nor a URL'
  if (hosts.length > 1 || !hosts.every((host) => HOST.test(host)))
    return 'Send one Host, with or without a port'
  if (hosts.length === 0 && httpVersion === '1.1') return 'HTTP/1.1 wants a header Host'
  if (codings.join().toLowerCase() !== 'chunked') return 'The one value of Transfer-Encoding taken is chunked'
  return undefined
}
