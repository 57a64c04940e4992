import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import { findAbort } from './aborted-bodies.ts'
import type { RequestState } from './request-state.ts'

/**
 * Logs each request once it completes or is aborted. Never logs a credential, body, query or path: paths contain reference
 * numbers, so the route's pattern is logged instead.
 */
export function logRequests(log: Logger): Middleware<RequestState> {
  return async (ctx, next) => {
    const startedAt = performance.now()
    ctx.res.once('close', () => {
      const entry = {
        requestId: ctx.state.requestId,
        traceId: ctx.state.traceId,
        method: ctx.method,
        route: ctx.state.route,
        subscriptionId: ctx.state.subscriptionId,
        status: ctx.res.statusCode,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...((!ctx.res.writableFinished || findAbort(ctx.req)) && { aborted: true }),
      }
      if (ctx.state.error === undefined) log.info(entry, 'request')
      else log.error({ ...entry, err: ctx.state.error }, 'request')
    })
    await next()
  }
}
