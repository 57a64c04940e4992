import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message that a receiver got. */
export interface Received {
  readonly id: string
  readonly type: string
  readonly data: { readonly referenceNumber?: string; readonly n?: number }
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A receiver of webhooks on this machine. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  /** In the order of arrival, also those that it did not take. */
  readonly received: Received[]
  /** Answers messages from now on; by default with 204. */
  answer: (message: Received, response: ServerResponse) => void
}

export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const message: Received = {
        ...(JSON.parse(body) as Pick<Received, 'type' | 'data'>),
        ...{ id: String(request.headers['webhook-id']), headers: request.headers, body, at: Date.now() },
      }
      receiver.received.push(message)
      receiver.answer(message, response)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received: [],
    answer: (_message, response) => response.writeHead(204).end(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}
