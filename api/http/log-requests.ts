import type { Context, Middleware } from 'koa'
import type { Logger } from 'pino'
import type { WebMetrics } from '../metrics/web-metrics.ts'
import { findAbort } from './aborted-bodies.ts'
import type { RequestState } from './request-state.ts'

/**
 * Logs and counts each request once it completes or is aborted. Never logs a credential, body, query or path: paths contain reference
 * numbers, so the route's pattern is logged instead. Checks that find web healthy are on level `debug`: proxies and orchestrators send them
 * every few seconds.
 */
export function logRequests(
  log: Logger,
  metrics?: Pick<WebMetrics, 'countRequest' | 'countRejection'>,
): Middleware<RequestState> {
  return async (ctx, next) => {
    const startedAt = performance.now()
    ctx.res.once('close', () => {
      const { requestId, traceId, route, subscriptionId, problem } = ctx.state
      const { method } = ctx
      const status = ctx.res.statusCode
      const ms = performance.now() - startedAt
      const aborted = findEnd(ctx)
      metrics?.countRequest({ method, route, status, ms, aborted })
      if (problem) metrics?.countRejection(problem)
      const entry = {
        ...{ requestId, traceId, method, route, subscriptionId, status },
        ms: Math.round(ms * 10) / 10,
        ...(aborted && { aborted: true }),
      }
      if (ctx.state.error === undefined) log[isHealthy(ctx.state) ? 'debug' : 'info'](entry, 'request')
      else log.error({ ...entry, err: ctx.state.error }, 'request')
    })
    await next()
  }
}

function findEnd({ req, res }: Pick<Context, 'req' | 'res'>): 'incomplete' | 'left' | undefined {
  if (findAbort(req) !== undefined) return 'incomplete'
  if (res.writableFinished) return undefined
  return req.complete ? 'left' : 'incomplete'
}

const isHealthy = ({ route, problem }: RequestState) =>
  (route === '/healthz' || route === '/readyz') && problem === undefined
