import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A response as received, with its body parsed if it is JSON. */
export interface RawAnswer {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  // as in client.ts: tests look into bodies freely
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
}

/** Sends a request unlike a well-behaved client: the headers unchanged, the body by `write`, ended or not. */
export function requestRaw(
  url: string,
  options: { method?: string; headers?: Record<string, string | string[]> },
  write: (request: ClientRequest) => void,
): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const sent = request(url, { agent: false, ...options }, async (response) => {
    const body = await text(response)
    const { headers, statusCode: status } = response
    sent.destroy()
    resolve({ status, headers, body: headers['content-type']?.includes('json') ? JSON.parse(body) : body })
  })
  sent.on('error', reject)
  write(sent)
  return promise
}
