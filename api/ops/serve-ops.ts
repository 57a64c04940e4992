import type { Middleware } from 'koa'
import { Problem } from '../http/problem.ts'
import type { RequestState } from '../http/request-state.ts'
import type { Ops } from './ops.ts'

const OPS = /^\/ops(\/|$)/i

/** Serves the pages for operators, which the first request of an operator loads. Without an account the paths are disabled. */
export function serveOps(ops: Ops): Middleware<RequestState> {
  const loadPages = async () => (await import('./ops-pages.ts')).openOpsPages(ops)
  let pages: ReturnType<typeof loadPages> | undefined

  return async (ctx, next) => {
    if (!OPS.test(ctx.path)) return next()
    ctx.state.route = '/ops'
    const operator = await ops.authenticateOperator(ctx)
    if (operator === 'disabled')
      throw new Problem('route_not_found', {
        detail:
          'The pages for operators are disabled until an operator has an account: scripts/admin operator create',
      })
    if (operator === 'rejected') return
    pages ??= loadPages()
    await (await pages)(ctx, operator)
  }
}
