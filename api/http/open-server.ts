import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import type { Logger } from 'pino'
import { logErrors } from '../../db/runtime/log.ts'
import { abortBody } from './aborted-bodies.ts'
import { Problem } from './problem.ts'
import { closeGently, rejectConnection, untilClosed } from './reject-connection.ts'
import type { RequestState } from './request-state.ts'

/** What a connection may cost, whoever is at its other end. */
export interface ConnectionLimits {
  /** From the first byte of a request, or the begin of the connection, until the headers are there. */
  readonly headersMs: number
  /** As `headersMs`, until the body is there: 8 MiB at 70 KB/s. */
  readonly requestMs: number
  /** Of this process; one more is closed at once. An idle one holds 13 KB of memory and a file descriptor. */
  readonly connections: number
}

const LIMITS: ConnectionLimits = { headersMs: 20_000, requestMs: 120_000, connections: 16_384 }

/** Kept longer than a load balancer keeps its side, which would else send into a closing connection. */
const KEEP_ALIVE_MS = 65_000

/** Of the request line and all headers, and again of trailers. */
const MAX_HEADER_BYTES = 16 * 1024

/** How long after its time a slow request is answered at most. */
const CHECK_INTERVAL_MS = 1_000

/**
 * Serves the application over HTTP/1.1. What Node refuses before there is a request, or within a body, is answered with a
 * problem like everything else, in its turn behind the requests before it; then the connection is closed.
 *
 * @see docs/http.md, what each bad input gets
 */
export function openServer(app: Koa<RequestState>, log: Logger, limits: ConnectionLimits = LIMITS): Server {
  const answer = app.callback()
  const latest = new WeakMap<Duplex, ServerResponse>()
  const rejected = new WeakSet<Duplex>()
  const take = (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response)
    void answer(request, response)
  }

  async function reject(socket: Duplex, problem: Problem, reason: string): Promise<void> {
    if (rejected.has(socket)) return // its further bytes are bad as well
    rejected.add(socket)
    socket.on('error', () => undefined) // it may break while this waits for its turn, and after CONNECT nobody else listens
    const last = latest.get(socket)
    if (last && !last.req.complete) {
      last.shouldKeepAlive = false
      abortBody(last.req, problem)
      await untilClosed(last)
      return closeGently(socket)
    }
    if (last) await untilClosed(last)
    if (!socket.writable) return void socket.destroy()
    const requestId = rejectConnection(socket, problem)
    log.info({ requestId, status: problem.status, reason }, 'request')
  }

  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false, // refuse-malformed.ts does, with a problem
    },
    take,
  )
  server.maxHeadersCount = 0 // else those beyond 2,000 are left out in silence; refuse-malformed.ts has the bound
  server.maxConnections = limits.connections
  const warn = logErrors(log, 'too many connections')
  server.on('drop', () => warn(new Error(`More than ${limits.connections} connections`)))
  server.on('checkContinue', take) // read-json.ts asks for the body, when all else is in order
  server.on('checkExpectation', take)
  server.on('connect', (_request, socket) => {
    void reject(socket, new Problem('method_not_allowed', { allow: 'GET, HEAD, POST, DELETE' }), 'CONNECT')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const problem = problemOf(error.code)
    const isSilent = 'bytesRead' in socket && socket.bytesRead === 0
    if (problem && !isSilent) void reject(socket, problem, error.code ?? '')
    else socket.destroy()
  })
  return server
}

/** Undefined where nobody is there any more to hear of it. */
function problemOf(code = ''): Problem | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('headers_too_large')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Problem('payload_too_large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout')
  return code.startsWith('HPE_') ? new Problem('malformed_request') : undefined
}
