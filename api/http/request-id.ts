import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { RequestState } from './request-state.ts'

/** Letters, digits and a few marks: safe in a header, a log and a query. */
const SANE = /^[\w.:+/=-]{1,128}$/

/** Gives each request an id, the client's own where it is sane, and says it in the response. */
export const identifyRequests: Middleware<RequestState> = (ctx, next) => {
  const asked = ctx.get('x-request-id')
  ctx.state.requestId = SANE.test(asked) ? asked : randomUUID()
  ctx.res.setHeader('X-Request-Id', ctx.state.requestId)
  return next()
}
