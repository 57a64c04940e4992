import type { Middleware } from 'koa'
import { Problem } from '../http/problem.ts'
import type { RequestState } from '../http/request-state.ts'
import type { OperatorGate } from './operator-gate.ts'

/** The operators' pages, and who may see them. */
export interface Ops {
  readonly isOperator: OperatorGate
  readonly show: Middleware
}

/** Scripts of its own files alone; it styles elements one by one, and its fonts from elsewhere stay away. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'none'"

const OPS = /^\/ops(\/|$)/i

/** Serves `/ops` and what is below it to operators; without `ops` there is nothing. */
export function serveOps(ops: Ops | undefined): Middleware<RequestState> {
  return async (ctx, next) => {
    if (!OPS.test(ctx.path)) return next()
    ctx.state.route = '/ops'
    if (!ops)
      throw new Problem('route_not_found', {
        detail: 'The pages for operators are off; set OPS_PASSWORD for the web process to have them',
      })
    if (!(await ops.isOperator(ctx))) return
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw new Problem('method_not_allowed', {
        allow: 'GET, HEAD',
        detail: 'These pages are to look at only; the portal and scripts/admin do what there is to do',
      })
    ctx.set('Content-Security-Policy', POLICY)
    await ops.show(ctx as never, next)
  }
}
