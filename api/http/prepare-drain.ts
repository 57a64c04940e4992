import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Interval at which connections without a request are closed. */
const CLOSE_INTERVAL_MS = 50

/** Age from which a connection without a single byte is closed: its request would have arrived by now. */
const SILENT_MS = 1_000

/**
 * Prepares the end of a server; call it before the server listens.
 *
 * @returns a function that stops accepting connections and resolves once all are closed: each after the response to its last request; at
 *   once if it has no request; and 1 s after its start if it has sent nothing yet. It may never resolve while a request is not complete.
 */
export function prepareDrain(server: Server): () => Promise<void> {
  const openedAt = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    openedAt.set(socket, performance.now())
    socket.once('close', () => openedAt.delete(socket))
  })
  // Node 24 takes a connection without a byte for one whose request is beginning, and enforces no time limits once a server closes
  const closeSilent = () => {
    const now = performance.now()
    for (const [socket, at] of openedAt) if (socket.bytesRead === 0 && now - at > SILENT_MS) socket.destroy()
  }
  return async () => {
    server.close()
    // the next response on a kept-alive connection closes it, so that no client sends into a closed one
    for (const event of ['request', 'checkContinue', 'checkExpectation'])
      server.prependListener(event, (_request: IncomingMessage, response: ServerResponse) => {
        response.shouldKeepAlive = false
      })
    const closing = setInterval(() => {
      server.closeIdleConnections()
      closeSilent()
    }, CLOSE_INTERVAL_MS)
    await once(server, 'close')
    clearInterval(closing)
  }
}
