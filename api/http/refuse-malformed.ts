import type { Middleware } from 'koa'
import { Problem } from './problem.ts'

/** As Apache's default; a client behind several proxies sends about 40. */
const MAX_FIELDS = 100

/** A host with or without a port; not looked into further, since nothing here depends on it. */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/** Refuses what Node's parser lets pass, though no well-behaved client sends it. */
export const refuseMalformed: Middleware = (ctx, next) => {
  const { headersDistinct, httpVersion, rawHeaders } = ctx.req
  if (rawHeaders.length > 2 * MAX_FIELDS) throw new Problem('headers_too_large')
  const { host: hosts = [], expect = [] } = headersDistinct
  if (
    hosts.length > 1 ||
    (hosts.length === 0 && httpVersion === '1.1') ||
    hosts.some((one) => !HOST.test(one))
  ) {
    ctx.set('Connection', 'close') // a proxy on the way may have seen another request than this one
    throw new Problem('malformed_request', { detail: 'Send one header Host, with a host and perhaps a port' })
  }
  if (httpVersion === '1.1' && expect.some((one) => one.toLowerCase() !== '100-continue'))
    throw new Problem('expectation_failed')
  return next()
}
