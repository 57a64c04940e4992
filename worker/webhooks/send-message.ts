import {
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { LRUCache } from 'lru-cache'
import { isForbiddenAddress, isPermittedUrl, lookUp, type Reach } from '../../db/runtime/reach.ts'

/** An answer of a receiver, or why there is none. */
export interface Answer {
  readonly status: number | null
  /** The first characters of its body, or the error. */
  readonly text: string
  /** From `Retry-After`. */
  readonly retryAt: Date | undefined
}

/** Sends messages by POST. */
export interface Sender {
  send(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answer>
  /** Closes idle connections. */
  close(): void
}

/** Time of an attempt, from the name to the last byte that is read. */
const TIMEOUT_MS = 15_000

/** Characters of an answer that are kept. */
const KEPT_CHARACTERS = 200

/** Bytes after which the connection is closed instead of reading on to use it again. */
const READ_BYTES = 64 * 1024

/** Idle connections of one receiver. */
const IDLE_SOCKETS = 16

/** Time after which an idle connection is closed. */
const IDLE_MS = 20_000

/** URLs whose targets are cached: more than the webhooks of a worker. */
const MAX_TARGETS = 1_000

/** Function and options that call a URL. */
interface Target {
  readonly request: typeof requestHttp
  readonly options: RequestOptions
  readonly host: string
}

const forbidden = (address: string) =>
  new Error(
    `${address} is not an address of the Internet; the operator can permit networks by WEBHOOK_PRIVATE_NETWORKS`,
  )

/**
 * Opens a sender that calls permitted addresses only, without redirects, for 15 s and 64 KB at most.
 *
 * Each connection is made to the address that was checked, so a connection that is used again has a permitted one.
 */
export function openSender(reach: Reach, { timeoutMs = TIMEOUT_MS } = {}): Sender {
  const lookup = lookUp(reach.mayConnect, forbidden)
  const options = { keepAlive: true, maxFreeSockets: IDLE_SOCKETS, timeout: IDLE_MS, lookup }
  const agents = { 'https:': new HttpsAgent(options), 'http:': new HttpAgent(options) }
  const targets = new LRUCache<string, Target>({ max: MAX_TARGETS })

  /** @returns why the URL is not called instead. */
  function openTarget(url: string): Target | string {
    if (!isPermittedUrl(url, reach)) return 'The URL must begin with https://'
    const parsed = new URL(url)
    if (isForbiddenAddress(url, reach)) return forbidden(parsed.hostname).message
    const isHttps = parsed.protocol === 'https:'
    const target = {
      request: isHttps ? requestHttps : requestHttp,
      options: {
        ...urlToHttpOptions(parsed),
        method: 'POST',
        agent: agents[isHttps ? 'https:' : 'http:'],
      },
      host: parsed.host,
    }
    targets.set(url, target)
    return target
  }

  const send: Sender['send'] = (url, headers, body) => {
    const target = targets.get(url) ?? openTarget(url)
    if (typeof target === 'string') return Promise.resolve(noAnswer(target))
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const length = String(Buffer.byteLength(body))
    const request = target.request({
      ...target.options,
      // headers in a list are sent unchanged, which makes a request a third faster
      headers: ['host', target.host, 'content-length', length, ...Object.entries(headers).flat()],
    })
    const timer = setTimeout(
      () => request.destroy(new Error(`There was no answer within ${timeoutMs / 1_000} s`)),
      timeoutMs,
    )
    request.on('response', (response) => readAnswer(response, resolve))
    request.on('error', (error) => resolve(noAnswer(error.message)))
    request.on('close', () => clearTimeout(timer))
    request.end(body)
    return promise
  }
  return {
    send,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

const noAnswer = (text: string): Answer => ({
  ...{ status: null, text: shorten(text), retryAt: undefined },
})

/** Returns the first characters of a text, without what Postgres does not store: NUL, and half of a character. */
const shorten = (text: string) => text.slice(0, KEPT_CHARACTERS).toWellFormed().replaceAll('\0', '\uFFFD')

function readAnswer(response: IncomingMessage, resolve: (answer: Answer) => void): void {
  const status = response.statusCode ?? 0
  const retryAt = parseRetryAfter(response.headers['retry-after'])
  const chunks: Buffer[] = []
  let bytes = 0
  const end = () => resolve({ status, text: shorten(Buffer.concat(chunks).toString()), retryAt })
  response.on('data', (chunk: Buffer) => {
    if (bytes < 4 * KEPT_CHARACTERS) chunks.push(chunk.subarray(0, 4 * KEPT_CHARACTERS))
    bytes += chunk.length
    if (bytes > READ_BYTES) response.destroy()
  })
  response.on('end', end)
  response.on('close', end)
  response.on('error', end) // the status was received
}

/** Seconds or a date. @see RFC 9110, section 10.2.3 */
function parseRetryAfter(value: string | undefined): Date | undefined {
  if (value === undefined) return undefined
  const at = /^\d{1,7}$/.test(value) ? Date.now() + Number(value) * 1_000 : Date.parse(value)
  return Number.isNaN(at) ? undefined : new Date(at)
}
