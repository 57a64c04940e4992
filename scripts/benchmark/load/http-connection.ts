import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { WrittenRequest } from './written-request.ts'

/** A keep-alive connection for one request at a time. */
export interface HttpConnection {
  /** Connects unless already connected. */
  connect(): Promise<void>
  /**
   * Sends a serialised request and returns the status of the response.
   *
   * @throws if the connection breaks first; the next request opens a new one.
   */
  request(parts: WrittenRequest): Promise<number>
  close(): void
}

const HEAD_END = '\r\n\r\n'

/**
 * Opens a connection, which connects on first use at the latest.
 *
 * It supports only the HTTP/1.1 that our servers return (Content-Length, no chunks), which costs a tenth of a general
 * client's processor time: generator and servers share the processor.
 */
export function openHttpConnection(port: number): HttpConnection {
  let socket: Socket | undefined
  let pending: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined
  let received: Buffer | undefined

  function open(): Socket {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true })
    opened.on('data', take)
    opened.on('error', (error) => fail(opened, error))
    opened.on('close', () => fail(opened, new Error('The connection was closed')))
    return opened
  }

  function fail(failed: Socket, error: Error): void {
    if (failed !== socket) return
    socket = undefined
    received = undefined
    const { reject } = pending ?? {}
    pending = undefined
    failed.destroy()
    reject?.(error)
  }

  function take(chunk: Buffer): void {
    received = received ? Buffer.concat([received, chunk]) : chunk
    const headLength = received.indexOf(HEAD_END)
    if (headLength < 0) return
    const head = received.toString('latin1', 0, headLength)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined) {
      if (socket) fail(socket, new Error('An answer has no Content-Length'))
      return
    }
    if (received.length < headLength + HEAD_END.length + Number(length)) return
    received = undefined
    if (/\r\nconnection: *close/i.test(head)) {
      socket?.destroy()
      socket = undefined
    }
    const { resolve } = pending ?? {}
    pending = undefined
    resolve?.(Number(head.slice(9, 12)))
  }

  return {
    async connect() {
      socket ??= open()
      if (socket.connecting) await once(socket, 'connect')
    },
    request(parts) {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      pending = { resolve, reject }
      socket ??= open()
      socket.cork()
      for (const part of parts) {
        if (typeof part === 'string') socket.write(part, 'latin1')
        else socket.write(part)
      }
      socket.uncork()
      return promise
    },
    close() {
      const closing = socket
      socket = undefined
      closing?.destroy()
      pending?.reject(new Error('No answer came'))
      pending = undefined
    },
  }
}
