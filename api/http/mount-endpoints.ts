import type { IncomingMessage } from 'node:http'
import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import type { Authenticate } from '../credentials.ts'
import type { Addresses } from './addresses.ts'
import { startAnswer } from './answer-in-time.ts'
import { findCookie, writeCookie } from './cookies.ts'
import { type Cookies, type Endpoint, JsonText, Stream } from './endpoint.ts'
import { parse } from './parse.ts'
import { requirePortal } from './portal-requests.ts'
import { Problem } from './problem.ts'
import { readJson } from './read-json.ts'
import type { RequestState } from './request-state.ts'

/** What every endpoint is served with. */
export interface Serving {
  readonly authenticate: Authenticate
  readonly addresses: Addresses
  readonly maxBodyBytes: number
}

/** Routes requests to endpoints, each by the same steps: authenticate, authorise, admit, read, parse, act, answer. */
export function mountEndpoints(endpoints: readonly Endpoint[], serving: Serving): Middleware<RequestState> {
  const router = new Router<RequestState>()
  const methods = new Map<string, string[]>()
  for (const endpoint of endpoints) {
    const step = serve(endpoint, serving)
    router[endpoint.method](endpoint.path, step)
    methods.set(endpoint.path, [...(methods.get(endpoint.path) ?? []), endpoint.method])
  }
  for (const [path, taken] of methods) router.all(path, refuseMethod(path, taken))
  return router.routes() as unknown as Middleware<RequestState>
}

function serve(endpoint: Endpoint, { authenticate, addresses, maxBodyBytes }: Serving) {
  const maxBytes = Math.min(endpoint.maxBodyBytes ?? Infinity, maxBodyBytes)
  return async (ctx: Parameters<Middleware<RequestState>>[0] & { params: Record<string, string> }) => {
    ctx.state.route = endpoint.path
    const inTime = startAnswer()
    const authenticated = authenticate(ctx.req.headers, endpoint.credential)
    const caller = authenticated instanceof Promise ? await inTime(authenticated) : authenticated
    if (caller) ctx.state.subscriptionId = caller.subscriptionId
    const leave = caller && endpoint.admission?.enter(caller.subscriptionId, announcedBytes(ctx.req))
    let acting: Promise<unknown> | undefined
    try {
      const query = endpoint.query && parse(endpoint.query, ctx.query)
      const body = endpoint.body && parse(endpoint.body, await readJson(ctx, maxBytes))
      acting = endpoint.act({
        caller: caller as never, // authenticate gives the caller that the credential declares
        params: ctx.params,
        query,
        body,
        address: addresses.of(ctx.req),
        forwardedAddress: addresses.forwarded(ctx.req),
        userAgent: ctx.req.headers['user-agent'],
        cookies: cookiesOf(ctx),
        languages: () => ctx.acceptsLanguages(),
      })
      const result = await inTime(acting, endpoint.waitMs)
      ctx.status = endpoint.answer.status
      if (endpoint.answer.status === 204) return
      if (result instanceof Stream) {
        result.body.once('error', (error) => {
          ctx.state.error = error // the connection breaks: the client has the status already
        })
        ctx.set(result.headers)
        ctx.body = result.body
      } else ctx.body = result instanceof JsonText ? result.text : JSON.stringify(result)
      ctx.type = endpoint.answer.type ?? 'application/json'
    } finally {
      if (leave) void Promise.allSettled([acting]).then(leave) // what was not answered in time is held all the same
    }
  }
}

const cookiesOf = (ctx: Parameters<Middleware<RequestState>>[0]): Cookies => ({
  requirePortal: () => requirePortal(ctx.req.headers),
  find: (name) => findCookie(ctx.req.headers, name),
  set: (cookie) => ctx.append('Set-Cookie', writeCookie(cookie)),
})

/** What a body that does not say its size is taken for. */
const UNANNOUNCED_BYTES = 256 * 1024

const announcedBytes = ({ headers }: IncomingMessage) =>
  Number(headers['content-length'] ?? UNANNOUNCED_BYTES) || 0

function refuseMethod(path: string, taken: readonly string[]): Middleware<RequestState> {
  const allow = [...taken, ...(taken.includes('get') ? ['head'] : [])]
    .map((method) => method.toUpperCase())
    .join(', ')
  return (ctx) => {
    ctx.state.route = path
    throw new Problem('method_not_allowed', { allow })
  }
}
