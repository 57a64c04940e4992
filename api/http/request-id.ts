import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { RequestState } from './request-state.ts'

/** Letters, digits and a few punctuation characters: safe in headers, logs and queries. */
const VALID = /^[\w.:+/=-]{1,128}$/

/** Assigns an id to each request, the client's if valid, and returns it in the response. */
export const identifyRequests: Middleware<RequestState> = (ctx, next) => {
  const sent = ctx.get('x-request-id')
  ctx.state.requestId = VALID.test(sent) ? sent : randomUUID()
  ctx.res.setHeader('X-Request-Id', ctx.state.requestId)
  return next()
}
