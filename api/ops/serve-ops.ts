import type { Middleware } from 'koa'
import type { QueueLocation } from '../../db/queue/open-queue.ts'
import type { QueueView } from '../../db/queue/queue-view.ts'
import type { CurrentRole } from '../../db/roles/current-role.ts'
import { Problem } from '../http/problem.ts'
import type { RequestState } from '../http/request-state.ts'
import type { AuthenticateOperator } from './operator-authentication.ts'
import { presentQueue, STYLE } from './present-queue.ts'
import { type QueueSnapshot, readQueue } from './read-queue.ts'

/** What the operators' pages show, and their authentication. */
export interface Ops {
  readonly authenticateOperator: AuthenticateOperator
  readonly findRole: () => Promise<CurrentRole>
  readonly queue: Pick<QueueView, 'open'>
  readonly location: QueueLocation
}

/** The page has no scripts and one style sheet, which is a file. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const OPS = /^\/ops(\/|$)/i

/**
 * Serves the queue to operators, as a page at `/ops` and as JSON at `/ops/queue.json`. Read-only, because pausing the queue
 * there would stop the processing of every subscription without an audit record. Without an account the paths are disabled.
 */
export function serveOps(ops: Ops): Middleware<RequestState> {
  return async (ctx, next) => {
    if (!OPS.test(ctx.path)) return next()
    ctx.state.route = '/ops'
    const result = await ops.authenticateOperator(ctx)
    if (result === 'disabled')
      throw new Problem('route_not_found', {
        detail:
          'The pages for operators are disabled until an operator has an account: scripts/admin operator create',
      })
    if (result === 'rejected') return
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw new Problem('method_not_allowed', {
        allow: 'GET, HEAD',
        detail: 'These pages are read-only; use the portal or scripts/admin to change something',
      })
    ctx.set({ 'Content-Security-Policy': POLICY, 'Cross-Origin-Opener-Policy': 'same-origin' })
    switch (ctx.path.toLowerCase().replace(/\/$/, '')) {
      case '/ops':
        ctx.type = 'text/html; charset=utf-8'
        ctx.body = presentQueue(await read(ops), {
          store: storeOf(ops.location),
          role: await ops.findRole().catch(() => undefined),
          now: new Date(),
        })
        return
      case '/ops/queue.json':
        ctx.body = { store: storeOf(ops.location), ...(await read(ops)) }
        return
      case '/ops/style.css':
        ctx.type = 'text/css; charset=utf-8'
        ctx.body = STYLE
        return
      default:
        throw new Problem('route_not_found', {
          detail: 'The pages for operators are /ops and /ops/queue.json',
        })
    }
  }
}

/** @throws Problem `unavailable` while the store of the queue does not respond. */
async function read({ queue, location }: Ops): Promise<QueueSnapshot> {
  const opened = await queue.open().catch((cause) => {
    throw new Problem('unavailable', {
      cause,
      detail: `${storeOf(location)}, which holds the queue, is unavailable`,
    })
  })
  return readQueue(opened)
}

const storeOf = ({ redis }: QueueLocation) => (redis ? 'Redis' : 'Postgres')
