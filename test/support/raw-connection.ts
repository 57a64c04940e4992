import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { RawAnswer } from './raw-request.ts'

/** Timeout for a response or for the end of a connection. */
const TIMEOUT_MS = 8_000

/** A connection on which a test controls each byte that is sent. */
export interface RawConnection extends Disposable {
  send(bytes: string | Buffer): void
  /** Ends the sending side, but still receives. */
  endSending(): void
  /** Resets the connection, as if the client's machine failed. */
  reset(): void
  /** Receives the next response; one `toHead` has no body. @throws if none arrives, or if it is invalid. */
  receive(options?: { toHead?: boolean; withinMs?: number }): Promise<RawAnswer>
  /** Resolves when the server has closed. @throws if it does not, or if it sends more data before. */
  untilClosed(withinMs?: number): Promise<void>
}

/** Connects to the server at this URL. */
export async function openRawConnection(url: string): Promise<RawConnection> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  let received = Buffer.alloc(0)
  let ended = false
  const end = () => {
    ended = true
    socket.destroy()
  }
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
  })
  socket.on('end', end).on('close', end)
  await once(socket, 'connect')
  socket.on('error', end)

  /** Polls `find` until it returns a value. */
  async function wait<T>(what: string, withinMs: number, find: () => T | undefined): Promise<T> {
    for (const deadline = performance.now() + withinMs; ; await delay(5)) {
      const found = find()
      if (found !== undefined) return found
      if (ended || performance.now() > deadline)
        throw new Error(
          `${ended ? 'Closed' : 'Silent'} instead of ${what}, after ${JSON.stringify(String(received))}`,
        )
    }
  }

  return {
    send: (bytes) => void socket.write(bytes),
    endSending: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    receive: ({ toHead = false, withinMs = TIMEOUT_MS } = {}) =>
      wait('an answer', withinMs, () => {
        const parsed = parseAnswer(received, toHead)
        if (parsed) received = received.subarray(parsed.bytes)
        return parsed?.answer
      }),
    async untilClosed(withinMs = TIMEOUT_MS) {
      await wait('an end', withinMs, () => ended || undefined)
      if (received.length > 0) throw new Error(`More came before the end: ${received}`)
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** Parses the first response in these bytes; undefined if it is incomplete. */
function parseAnswer(bytes: Buffer, toHead: boolean): { answer: RawAnswer; bytes: number } | undefined {
  const endOfHead = bytes.indexOf('\r\n\r\n')
  if (endOfHead < 0) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, endOfHead).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1])
  const headers = Object.fromEntries(
    lines.map((line) =>
      line
        .toLowerCase()
        .split(/: (.*)/s)
        .slice(0, 2),
    ),
  )
  const hasBody = !toHead && status >= 200 && status !== 204
  const length = hasBody ? Number(headers['content-length']) : 0
  if (Number.isNaN(length) || Number.isNaN(status)) throw new Error(`Not an answer: ${bytes}`)
  const body = bytes.toString('utf8', endOfHead + 4, endOfHead + 4 + length)
  if (bytes.length < endOfHead + 4 + length) return undefined
  const isJson = hasBody && headers['content-type']?.includes('json')
  return {
    answer: { status, headers, body: isJson ? JSON.parse(body) : body },
    bytes: endOfHead + 4 + length,
  }
}
