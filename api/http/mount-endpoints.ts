import type { IncomingMessage, ServerResponse } from 'node:http'
import { Router, type RouterContext } from '@koa/router'
import type { Middleware, Next } from 'koa'
import type { z } from 'zod'
import type { Authenticate } from '../account/authentication.ts'
import type { Trail } from '../audit/trail.ts'
import type { AuthenticatePage } from '../collections/page-authentication.ts'
import type { RequireStepUp } from '../factors/require-step-up.ts'
import type { Limiter } from '../limits/limiter.ts'
import { type EnterMode, MODE_HEADER } from '../test-mode/modes.ts'
import { actorOf } from './actor.ts'
import type { FindAddresses } from './addresses.ts'
import { isCompressed, setCompressedBody } from './compress-response.ts'
import { findCookie, writeCookie } from './cookies.ts'
import { allowOrigins, isForPages } from './cross-origin.ts'
import { requirePortal } from './csrf-guard.ts'
import { DeniedProblem } from './denied-problem.ts'
import { fieldsOfDeprecation } from './deprecation.ts'
import {
  type Caller,
  type Cookies,
  type Endpoint,
  JsonText,
  type KeyCaller,
  Redirect,
  Stream,
} from './endpoint.ts'
import { matchesEtag } from './entity-tags.ts'
import { parse } from './parse.ts'
import { Problem, type ProblemCode } from './problem.ts'
import { type BrowserBody, readBrowserBody } from './read-browser-body.ts'
import { readJson, readJsonBytes } from './read-json.ts'
import type { RequestState } from './request-state.ts'
import { startRequestTimeout } from './request-timeout.ts'

/** Dependencies of every endpoint. */
export interface Serving {
  readonly authenticate: Authenticate
  readonly authenticatePage: AuthenticatePage
  readonly requireStepUp: RequireStepUp
  readonly enterMode: EnterMode
  readonly findAddresses: FindAddresses
  readonly maxBodyBytes: number
  readonly trail: Pick<Trail, 'noteOnceAMinute'>
  readonly limiter: Pick<Limiter, 'countRequest' | 'noteKeyUse' | 'describe'>
}

/** Routes requests to endpoints, each by the same steps: authenticate, authorise, limit, step up, enter the mode, admit, read, parse, act, respond. */
export function mountEndpoints(endpoints: readonly Endpoint[], serving: Serving): Middleware<RequestState> {
  // A router tries its paths one by one; one router per area skips the paths of all other areas.
  const routers = new Map<string, Router<RequestState>>()
  for (const endpoint of endpoints) {
    const area = areaOf(endpoint.path)
    const router = routers.get(area) ?? new Router<RequestState>()
    routers.set(area, router)
    router[endpoint.method](endpoint.path, serve(endpoint, serving))
    if (isForPages(endpoint.credential)) router.options(endpoint.path, servePreflight(endpoint))
  }
  const routes = new Map([...routers].map(([area, router]) => [area, router.routes()]))
  return ((ctx: RouterContext<RequestState>, next: Next) => {
    const route = routes.get(areaOf(ctx.path))
    return route ? route(ctx, () => rejectMethod(ctx, next)) : next()
  }) as unknown as Middleware<RequestState>
}

const AREA = /^\/[^/]*(?:\/[^/]+)?/

/** The first two segments of a path, which hold no parameter: `/api/datasets` of `/api/datasets/v1/upload`. */
const areaOf = (path: string): string => AREA.exec(path)?.[0].toLowerCase() ?? ''

function servePreflight({ path }: Endpoint): Middleware<RequestState> {
  return (ctx) => {
    ctx.state.route = path
    allowOrigins(ctx.res, { preflight: true })
    ctx.status = 204
  }
}

function serve(endpoint: Endpoint, serving: Serving) {
  const { authenticate, authenticatePage, requireStepUp, enterMode, findAddresses } = serving
  const { maxBodyBytes, trail, limiter } = serving
  const { credential } = endpoint
  const forPages = isForPages(credential)
  const identify = (ctx: Parameters<Middleware<RequestState>>[0]): Caller | undefined | Promise<Caller> =>
    isForPages(credential)
      ? authenticatePage(ctx.query, ctx.req.headers.origin, findAddresses(ctx.req).address, credential)
      : authenticate(ctx.req.headers, credential, findAddresses(ctx.req).address)
  const { type = 'application/json' } = endpoint.response
  const contentType = type === 'application/gzip' ? type : `${type}; charset=utf-8`
  const maxBytes = Math.min(endpoint.maxBodyBytes ?? Infinity, maxBodyBytes)
  return async (ctx: Parameters<Middleware<RequestState>>[0] & { params: Record<string, string> }) => {
    ctx.state.route = endpoint.path
    const withinTimeout = startRequestTimeout()
    if (forPages) allowOrigins(ctx.res)
    if (endpoint.deprecated) ctx.set(fieldsOfDeprecation(endpoint.deprecated))
    let caller: Caller | undefined
    try {
      const authenticated = identify(ctx)
      caller = authenticated instanceof Promise ? await withinTimeout(authenticated) : authenticated
    } catch (error) {
      if (error instanceof DeniedProblem) {
        noteDenied(trail, error, endpoint, findAddresses(ctx.req).address)
        if (error.caller.kind === 'key' && error.code === 'forbidden') limiter.noteKeyUse(error.caller)
      }
      throw error
    }
    if (caller) ctx.state.subscriptionId = caller.subscriptionId
    if (caller?.kind === 'key') countRequest(limiter, caller, endpoint, ctx.res)
    if (endpoint.stepUp && caller?.kind === 'login')
      await withinTimeout(requireStepUp(caller, endpoint.stepUp))
    const entered = enterMode(caller, endpoint, [ctx.req.headers[MODE]].flat()[0])
    caller = entered instanceof Promise ? await withinTimeout(entered) : entered
    if (caller) ctx.state.subscriptionId = caller.subscriptionId
    const release = caller && endpoint.admission?.enter(caller.subscriptionId, contentLength(ctx.req))
    let acting: Promise<unknown> | undefined
    try {
      const query = endpoint.query && parse(endpoint.query, ctx.query)
      const received = forPages && endpoint.body ? await readPageBody(ctx, endpoint, maxBytes) : undefined
      const bytes = endpoint.isUnparsed ? await readJsonBytes(ctx, maxBytes, maxBytes) : NO_BYTES
      const body =
        endpoint.body &&
        !endpoint.isUnparsed &&
        (received
          ? parseBody(endpoint, endpoint.body, received.json)
          : parse(endpoint.body, await readJson(ctx, maxBytes, endpoint.parseJson)))
      const addresses = findAddresses(ctx.req)
      acting = endpoint.act({
        caller: caller as never, // authenticate returns the caller type that the credential declares
        actor: actorOf(caller, addresses.address) as never, // defined for the callers that the type names
        params: ctx.params,
        query,
        body: body || undefined,
        bytes,
        received,
        ...addresses,
        userAgent: ctx.req.headers['user-agent'],
        requestId: ctx.state.requestId,
        header: (name) => [ctx.req.headers[name]].flat()[0],
        cookies: cookiesOf(ctx),
        languages: () => ctx.acceptsLanguages(),
      })
      const result = await withinTimeout(acting, endpoint.waitMs)
      ctx.status = endpoint.response.status
      if (endpoint.response.status === 204) return
      if (result instanceof Redirect) {
        ctx.res.setHeader('Location', result.location)
        ctx.body = null
        ctx.status = endpoint.response.status // Koa sets 204 for an empty body
        return
      }
      ctx.res.setHeader('Content-Type', contentType) // before the body, otherwise Koa looks a type up
      if (result instanceof Stream) {
        result.body.once('error', (error) => {
          ctx.state.error = error // the connection breaks: the status was sent already
        })
        ctx.set(result.headers)
        ctx.body = result.body
        return
      }
      if (result instanceof JsonText && result.etag !== undefined) {
        ctx.set('ETag', result.etag)
        // browsers, which have login tokens, keep `no-store`
        if (caller?.kind === 'key') ctx.set('Cache-Control', 'private, no-cache')
        if (matchesEtag(ctx.req.headers['if-none-match'], result.etag)) {
          ctx.status = 304
          ctx.body = null
          return
        }
      }
      const text = result instanceof JsonText ? result.text : JSON.stringify(result)
      if (isCompressed(endpoint, caller)) await setCompressedBody(ctx, text)
      else ctx.body = text
    } finally {
      if (caller?.kind === 'key') setLimits(limiter, caller, endpoint, ctx.res)
      if (release) void Promise.allSettled([acting]).then(release) // after a timeout, the work still occupies its capacity
    }
  }
}

function countRequest(
  limiter: Serving['limiter'],
  caller: KeyCaller,
  endpoint: Endpoint,
  response: ServerResponse,
): void {
  try {
    limiter.countRequest(caller)
  } catch (error) {
    setLimits(limiter, caller, endpoint, response)
    throw error
  }
}

/** Sets the header fields with the caller's limits and the remaining quota. */
function setLimits(
  limiter: Serving['limiter'],
  caller: KeyCaller,
  { isStoring }: Endpoint,
  response: ServerResponse,
): void {
  const fields = response.headersSent ? undefined : limiter.describe(caller, isStoring === true)
  if (!fields) return
  response.setHeader('RateLimit-Policy', fields.policy)
  response.setHeader('RateLimit', fields.limit)
}

function noteDenied(
  trail: Serving['trail'],
  { caller, action }: DeniedProblem,
  { operationId }: Endpoint,
  address: string | undefined,
): void {
  const { subscriptionId } = caller
  const actor = actorOf(caller, address)
  if (actor)
    trail.noteOnceAMinute({
      ...{ subscriptionId, actor, action, outcome: 'denied' },
      subject: action === 'access.denied' ? operationId : String(actor.id),
    })
}

const MODE = MODE_HEADER.toLowerCase()

const NO_BYTES = Buffer.alloc(0)

const readPageBody = (
  ctx: Parameters<Middleware<RequestState>>[0],
  { invalidBody }: Endpoint,
  maxBytes: number,
): Promise<BrowserBody> =>
  readBrowserBody(ctx, maxBytes).catch((error) => {
    throw asInvalidBody(error, invalidBody)
  })

function parseBody({ invalidBody }: Endpoint, schema: z.ZodType, json: unknown): unknown {
  try {
    return parse(schema, json)
  } catch (error) {
    throw asInvalidBody(error, invalidBody)
  }
}

/** Renames the problem of an invalid body to the one that its endpoint declares. */
function asInvalidBody(error: unknown, invalidBody: ProblemCode | undefined): unknown {
  if (!invalidBody || !(error instanceof Problem)) return error
  if (error.code !== 'malformed_json' && error.code !== 'validation_failed') return error
  const { errors } = error.options
  return new Problem(invalidBody, errors ? { errors } : { detail: error.detail })
}

const cookiesOf = (ctx: Parameters<Middleware<RequestState>>[0]): Cookies => ({
  requirePortal: () => requirePortal(ctx.req.headers),
  find: (name) => findCookie(ctx.req.headers, name),
  set: (cookie) => ctx.append('Set-Cookie', writeCookie(cookie)),
})

/** Assumed size of a body without Content-Length. */
const UNKNOWN_LENGTH_BYTES = 256 * 1024

const contentLength = ({ headers }: IncomingMessage) =>
  Number(headers['content-length'] ?? UNKNOWN_LENGTH_BYTES) || 0

/** Rejects an unsupported method of a known path with the supported ones; passes unknown paths on. */
function rejectMethod(ctx: RouterContext<RequestState>, next: Next): Promise<unknown> {
  const [first, ...others] = ctx.matched ?? []
  if (!first) return next()
  ctx.state.route = String(first.path)
  const layers = [first, ...others.filter(({ path }) => path === first.path)]
  throw new Problem('method_not_allowed', { allow: layers.flatMap(({ methods }) => methods).join(', ') })
}
