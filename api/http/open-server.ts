import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import type { Logger } from 'pino'
import { logErrors } from '../../db/runtime/log.ts'
import type { WebMetrics } from '../metrics/web-metrics.ts'
import { abortBody } from './aborted-bodies.ts'
import { METHODS } from './endpoint.ts'
import { Problem } from './problem.ts'
import { closeGently, rejectConnection, untilClosed } from './reject-connection.ts'
import type { RequestState } from './request-state.ts'

/** Limits of connections. */
export interface ConnectionLimits {
  /** From the first byte of a request, or the start of the connection, until the headers are complete. */
  readonly headersMs: number
  /** Same start as `headersMs`, until the body is complete: 8 MiB at 70 KB/s. */
  readonly requestMs: number
  /** Maximum connections of this process; further ones are closed at once. An idle one holds 13 KB of memory and a file descriptor. */
  readonly connections: number
}

interface ServerOptions {
  readonly limits?: ConnectionLimits | undefined
  /** Public address of the service, where the pages of problems are. */
  readonly publicUrl?: string | undefined
  readonly metrics?: Pick<WebMetrics, 'countRejection' | 'countDroppedConnection'> | undefined
}

const LIMITS: ConnectionLimits = { headersMs: 20_000, requestMs: 120_000, connections: 16_384 }

/** Longer than the keep-alive timeout of load balancers, which would otherwise send into a closing connection. */
const KEEP_ALIVE_MS = 65_000

/** Limit of the request line and all headers; also of trailers. */
const MAX_HEADER_BYTES = 16 * 1024

const SUPPORTED_METHODS = ['head', ...METHODS].join(', ').toUpperCase()

/** Interval at which timeouts are checked: the maximum delay of a timeout response. */
const CHECK_INTERVAL_MS = 1_000

/**
 * Serves the application over HTTP/1.1. Errors of Node's parser also get a problem response, after the responses to earlier
 * requests on the connection; then the connection is closed.
 *
 * @see docs/http.md, responses to invalid input
 */
export function openServer(app: Koa<RequestState>, log: Logger, options: ServerOptions = {}): Server {
  const { limits = LIMITS, publicUrl, metrics } = options
  const origin = publicUrl && new URL(publicUrl).origin
  const handle = app.callback()
  const latest = new WeakMap<Duplex, ServerResponse>()
  const rejected = new WeakSet<Duplex>()
  const take = (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response)
    void handle(request, response)
  }

  async function reject(socket: Duplex, problem: Problem, reason: string): Promise<void> {
    if (rejected.has(socket)) return // its further bytes cause further errors
    rejected.add(socket)
    socket.on('error', () => undefined) // it may break while this waits for earlier responses, and after CONNECT Node does not listen
    const last = latest.get(socket)
    if (last && !last.req.complete) {
      last.shouldKeepAlive = false
      abortBody(last.req, problem)
      await untilClosed(last)
      return closeGently(socket)
    }
    if (last) await untilClosed(last)
    if (!socket.writable) return void socket.destroy()
    metrics?.countRejection(problem)
    const requestId = rejectConnection(socket, problem, origin)
    log.info({ requestId, status: problem.status, reason }, 'request')
  }

  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false, // reject-malformed.ts does, with a problem
    },
    take,
  )
  server.maxHeadersCount = 0 // by default Node silently drops headers after the 2,000th; reject-malformed.ts has the limit
  server.maxConnections = limits.connections
  const warn = logErrors(log, 'too many connections')
  server.on('drop', () => {
    metrics?.countDroppedConnection()
    warn(new Error(`More than ${limits.connections} connections`))
  })
  server.on('checkContinue', take) // read-json.ts sends 100 Continue once the headers are valid
  server.on('checkExpectation', take)
  server.on('connect', (_request, socket) => {
    void reject(socket, new Problem('method_not_allowed', { allow: SUPPORTED_METHODS }), 'CONNECT')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const problem = problemOf(error.code)
    const isSilent = 'bytesRead' in socket && socket.bytesRead === 0
    if (problem && !isSilent) void reject(socket, problem, error.code ?? '')
    else socket.destroy()
  })
  return server
}

/** Returns the problem of a parser error; undefined where the client has disconnected. */
function problemOf(code = ''): Problem | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('headers_too_large')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Problem('payload_too_large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout')
  return code.startsWith('HPE_') ? new Problem('malformed_request') : undefined
}
