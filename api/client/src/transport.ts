import { setTimeout as sleep } from 'node:timers/promises'
import type { Schemas } from './api-types.ts'
import { ConnectionError, ProblemError } from './errors.ts'
import { retryDelay } from './retry-delay.ts'

/** Options of a call. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Time for all attempts and the pauses between them, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

/** A failed attempt that is repeated, for logs. */
export interface Retry {
  readonly method: string
  readonly path: string
  readonly error: ProblemError | ConnectionError
  /** Failed attempts so far, from 1. */
  readonly failures: number
  /** Pause before the next attempt, in milliseconds. */
  readonly delayMs: number
}

export interface TransportOptions {
  /** Address of the service, such as https://inkling.example; a path is kept. */
  readonly baseUrl: string | URL
  /** API key: ink_… */
  readonly key: string
  /** Time of one attempt, in milliseconds; 30,000 by default. */
  readonly attemptTimeoutMs?: number | undefined
  /** Time for all attempts of a call, in milliseconds; 300,000 by default. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of repeated attempts of a call; 7 by default. */
  readonly maxRetries?: number | undefined
  /** Called before each pause. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /** Replaces the global fetch, for example to use a proxy. */
  readonly fetch?: typeof fetch | undefined
}

/** A call of the API. */
export interface Call extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Time that the service may take longer than usual, in milliseconds. */
  readonly waitMs?: number
  readonly maxRetries?: number
  /** Whether a repeated call has no further effect, true by default; otherwise it is repeated only if the service did not begin it. */
  readonly isRepeatable?: boolean
  /** Whether to repeat a call whose dataset is still being processed. */
  readonly untilReady?: boolean
}

/** Sends a call, repeats it where that may help, and returns the JSON of the response. */
export type Transport = <Body>(call: Call) => Promise<Body>

/** Longest time that a timer of Node.js can wait, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Statuses of a service or a proxy that may be gone at the next attempt. */
const PASSING = [408, 429, 500, 502, 503, 504]

/** @throws TypeError if the address or the key cannot be used. */
export function openTransport(options: TransportOptions): Transport {
  const base = parseBaseUrl(options.baseUrl)
  const { key, attemptTimeoutMs = 30_000, onRetry } = options
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('key must be an API key: ink_…')
  const send = options.fetch ?? fetch

  async function attempt(call: Call, timeoutMs: number): Promise<unknown> {
    const { method = 'GET', body } = call
    const response = await limitTime(timeoutMs, call.signal, async (signal) => {
      const answer = await send(addressOf(base, call), {
        method,
        headers: {
          Accept: 'application/json, application/problem+json',
          Authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual', // another address is a mistake in the settings, and a POST would arrive there as GET
        signal,
      })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    })
    const json = parseJson(response.text)
    if (response.status === 204 || (response.status === 200 && json !== undefined)) return json
    throw new ProblemError(response.status, problemOf(json), retryAfterOf(response.headers))
  }

  return async <Body>(call: Call): Promise<Body> => {
    const { signal, timeoutMs = options.timeoutMs ?? 300_000, waitMs = 0 } = call
    const maxRetries = call.maxRetries ?? options.maxRetries ?? 7
    const deadline = performance.now() + timeoutMs
    for (let failures = 1; ; failures += 1) {
      const leftMs = Math.max(1, deadline - performance.now())
      try {
        signal?.throwIfAborted()
        return (await attempt(call, Math.min(attemptTimeoutMs + waitMs, leftMs))) as Body // as OpenAPI declares
      } catch (error) {
        signal?.throwIfAborted()
        if (!isPassing(error, call)) throw error
        const delayMs = retryDelay(failures, error instanceof ProblemError ? error.retryAfterMs : 0)
        if (failures > maxRetries || performance.now() + delayMs >= deadline) throw error
        onRetry?.({ method: call.method ?? 'GET', path: call.path, error, failures, delayMs })
        await sleep(Math.min(delayMs, MAX_TIMER_MS), undefined, { signal: signal ?? undefined }).catch(
          () => undefined,
        )
      }
    }
  }
}

function isPassing(
  error: unknown,
  { untilReady = false, isRepeatable = true }: Call,
): error is ProblemError | ConnectionError {
  if (error instanceof ConnectionError) return isRepeatable
  if (!(error instanceof ProblemError)) return false
  if (!isRepeatable) return error.status === 429
  return error.title === 'insight_not_ready' ? untilReady : PASSING.includes(error.status)
}

function parseBaseUrl(baseUrl: string | URL): URL {
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('baseUrl must be http or https')
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

function addressOf(base: URL, { path, query = {} }: Call): URL {
  const url = new URL(`.${path}`, base)
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) url.searchParams.append(name, String(one))
  return url
}

/** @throws ConnectionError if there is no response in time, or the connection fails. */
async function limitTime<Result>(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // not AbortSignal.any, which keeps memory for each attempt as long as the caller's signal lives in Node 20
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, Math.min(timeoutMs, MAX_TIMER_MS))
  caller?.addEventListener('abort', abort, { once: true })
  try {
    return await act(controller.signal)
  } catch (cause) {
    const reason = controller.signal.aborted
      ? `no response within ${Math.round(timeoutMs)} ms`
      : reasonOf(cause)
    throw new ConnectionError(`The service cannot be reached: ${reason}`, { cause })
  } finally {
    clearTimeout(timer)
    caller?.removeEventListener('abort', abort)
  }
}

/** fetch rejects with "fetch failed", whose cause has the reason. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error
    ? cause.message || ('code' in cause ? String(cause.code) : cause.name)
    : String(cause)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A problem document, or nothing if the response is a page of a proxy. */
const problemOf = (json: unknown): Partial<Schemas['ProblemDetails']> =>
  typeof json === 'object' && json !== null && 'title' in json && typeof json.title === 'string'
    ? (json as object)
    : {}

/** Retry-After in milliseconds: seconds, or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
