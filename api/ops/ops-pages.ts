import type { Context } from 'koa'
import { z } from 'zod'
import type { Actor } from '../../db/audit/actor.ts'
import type { QueueLocation } from '../../db/queue/open-queue.ts'
import { parse } from '../http/parse.ts'
import { Problem } from '../http/problem.ts'
import type { Ops } from './ops.ts'
import { presentOverview } from './present-overview.ts'
import { presentQueue } from './present-queue.ts'
import { readOverview } from './read-overview.ts'
import { type QueueSnapshot, readQueue } from './read-queue.ts'
import { openSubscriptionPages, SUBSCRIPTION_PATH } from './serve-subscription.ts'
import { STYLE } from './style.ts'

/** The pages have no scripts, forms to this host alone, and one style sheet, which is a file. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

const PageQuery = z.object({
  after: z
    .string()
    .regex(/^\d{1,9}$/, 'must be the id of a subscription')
    .transform(Number)
    .optional(),
})

/**
 * Answers requests of operators: the overview at `/ops`, the queue at `/ops/queue` and as JSON at `/ops/queue.json`, and each subscription with
 * what can be done to it. The queue itself cannot be changed there: pausing it would stop all subscriptions without an audit record.
 */
export function openOpsPages(ops: Ops) {
  const serveSubscription = openSubscriptionPages(ops)
  const store = storeOf(ops.location)

  async function servePage(ctx: Context, path: string): Promise<void> {
    ctx.type = 'text/html; charset=utf-8'
    switch (path) {
      case '/ops': {
        const { after: afterId } = parse(PageQuery, ctx.query)
        const { db, limits, readDrain } = ops
        const overview = await readOverview(db, { afterId, limits, readDrain, readQueue: () => read(ops) })
        ctx.body = presentOverview(overview, store)
        return
      }
      case '/ops/queue':
        ctx.body = presentQueue(await read(ops), { store, now: new Date() })
        return
      case '/ops/queue.json':
        ctx.body = { store, ...(await read(ops)) }
        return
      case '/ops/style.css':
        ctx.type = 'text/css; charset=utf-8'
        ctx.body = STYLE
        return
      default:
        throw new Problem('route_not_found', {
          detail: 'The pages for operators are /ops, /ops/queue, /ops/queue.json and /ops/subscriptions/ID',
        })
    }
  }

  return async (ctx: Context, operator: Actor): Promise<void> => {
    const path = ctx.path.toLowerCase().replace(/\/$/, '')
    const ofSubscription = SUBSCRIPTION_PATH.exec(path)
    requireMethod(ctx.method, ofSubscription?.[2] !== undefined)
    // with no referrer at all, browsers would send forms from the origin `null`
    ctx.set({
      'Content-Security-Policy': POLICY,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'same-origin',
    })
    await (ofSubscription ? serveSubscription(ctx, operator, ofSubscription) : servePage(ctx, path))
  }
}

function requireMethod(method: string, isAction: boolean): void {
  if (method === 'GET' || method === 'HEAD' || (isAction && method === 'POST')) return
  throw new Problem('method_not_allowed', {
    allow: isAction ? 'GET, HEAD, POST' : 'GET, HEAD',
    detail: 'This page changes nothing; see the actions of a subscription, the portal or scripts/admin',
  })
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
