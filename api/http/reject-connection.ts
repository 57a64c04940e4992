import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { presentProblem } from './present-problem.ts'
import type { Problem } from './problem.ts'
import { helpLink } from './problem-type.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** Linger time for a client that still sends: if closed at once, its system would drop the response unread. */
const LINGER_MS = 2_000

/**
 * Writes a problem response to a connection without a valid request, and closes it.
 *
 * @param origin the origin of the public address of the service, if it has one.
 * @returns the request id of the response, for the log.
 */
export function rejectConnection(socket: Duplex, problem: Problem, origin?: string): string {
  const requestId = randomUUID()
  const body = JSON.stringify(presentProblem(problem, requestId, origin))
  const { allow } = problem.options
  const headers = {
    'X-Request-Id': requestId,
    ...SECURITY_HEADERS,
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    Link: helpLink(problem.code),
    ...(allow && { Allow: allow }),
    Date: new Date().toUTCString(),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`)
  closeGently(socket)
  return requestId
}

/** Flushes written data, then discards incoming data until the client closes or for 2 s. */
export function closeGently(socket: Duplex): void {
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}

/** Resolves when a response is complete or aborted. */
export const untilClosed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.closed) resolve()
    else response.once('close', resolve)
  })
