import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { Context } from 'koa'
import type { Caller, Endpoint } from './endpoint.ts'

/** Shorter responses fit in a few packets, so compression saves no round trip. */
const MIN_BYTES = 4_096

/**
 * Node's built-in compression runs on libuv's threads and does not block the event loop. A list of 50 datasets (14.8 kB) takes
 * 0.25 ms of CPU by zstd (2.4 kB), 0.5 ms by Brotli at quality 4 (2.3 kB) and 0.5 ms by gzip (2.5 kB), on one core of the test machine.
 */
const ENCODERS = {
  zstd: promisify(zstdCompress),
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
} as const

const ENCODINGS = ['zstd', 'br', 'gzip'] as const

/**
 * Tags of endpoints close to secrets: sessions, keys, invitations. The secrets themselves (a token, a new key, an invitation
 * link) are issued by methods other than GET, whose responses are never compressed: the length of a compressed response
 * reveals whether text that an attacker placed in it also occurs in the secret.
 *
 * @see BREACH, https://breachattack.com
 */
const SECRET_TAGS: readonly Endpoint['tag'][] = ['Account', 'API keys', 'Users']

/**
 * Whether responses of an endpoint to a caller are compressed: those to people, who may have slow connections, and public
 * documents. Programs with an API key run in data centres, where CPU time is worth more than bytes.
 */
export const isCompressed = ({ method, tag }: Endpoint, caller: Caller | undefined): boolean =>
  method === 'get' && !SECRET_TAGS.includes(tag) && caller?.kind !== 'key'

/** Sets the body, compressed by the first of zstd, Brotli and gzip that the client accepts; uncompressed below 4 KiB. */
export async function setCompressedBody(
  ctx: Pick<Context, 'acceptsEncodings' | 'vary' | 'set' | 'body'>,
  text: string,
): Promise<void> {
  ctx.vary('Accept-Encoding')
  const bytes = Buffer.from(text)
  // one at a time: given several, Koa prefers the one that the client lists first, usually gzip
  const encoding = ENCODINGS.find((one) => ctx.acceptsEncodings(one) === one)
  if (bytes.length < MIN_BYTES || encoding === undefined) ctx.body = text
  else {
    ctx.body = await ENCODERS[encoding](bytes)
    ctx.set('Content-Encoding', encoding)
  }
}
