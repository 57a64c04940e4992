import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isForbiddenAddress, isPermittedUrl, lookUp, type Reach } from '../../db/runtime/reach.ts'

/** A provider without an answer that could be read: not found, not permitted, too slow, too large. The message is for its admin. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}

/** Time for a whole exchange, from the name to the last byte. */
const TIMEOUT_MS = 5_000

/** Metadata and keys of large providers have about 10 KB. */
const MAX_BYTES = 256 * 1024

/** As much of `fetch` as the client of providers calls. */
export type FetchProvider = (
  url: string,
  options: { method: string; headers: Record<string, string>; body?: unknown },
) => Promise<Response>

/**
 * Calls a server that an admin chose: over HTTPS, at permitted addresses only, for 5 s and 256 KB at most, without redirects.
 *
 * @throws ProviderUnavailable
 */
export const openFetchProvider =
  (reach: Reach): FetchProvider =>
  async (url, { method, headers, body }) => {
    const { protocol, hostname } = new URL(url)
    if (!isPermittedUrl(url, reach)) throw new ProviderUnavailable(`${url} is not an HTTPS address`)
    if (isForbiddenAddress(url, reach)) throw notPermitted(hostname)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const send = protocol === 'https:' ? requestHttps : requestHttp
    // a connection of its own: a pooled one would skip the check of its address
    const request = send(url, {
      method,
      headers,
      signal,
      agent: false,
      lookup: lookUp(reach.mayConnect, notPermitted),
    })
    request.on('error', () => undefined) // also after the response has begun, when the iteration below reports it
    try {
      request.end(body === undefined || body === null ? undefined : String(body))
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return await toResponse(response)
    } catch (error) {
      if (error instanceof ProviderUnavailable) throw error
      const cause = signal.aborted
        ? `took longer than ${TIMEOUT_MS / 1_000} s`
        : error instanceof Error
          ? error.message
          : ''
      throw new ProviderUnavailable(`${new URL(url).origin}: ${cause}`, { cause: error })
    } finally {
      request.destroy()
    }
  }

const notPermitted = (address: string) =>
  new ProviderUnavailable(
    `${address} is not an address of the Internet; the operator can permit networks by SSO_PRIVATE_NETWORKS`,
  )

async function toResponse(message: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new ProviderUnavailable(`The answer is larger than ${MAX_BYTES / 1_024} KB`)
    chunks.push(chunk)
  }
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headers))
    if (typeof value === 'string') headers.set(name, value)
  const status = message.statusCode ?? 0
  if (status < 200 || status > 599) throw new ProviderUnavailable(`The status is ${status}`)
  const isEmpty = status === 204 || status === 205 || status === 304
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers })
}
