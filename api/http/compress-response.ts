import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { Context } from 'koa'
import type { Endpoint, KeyCaller, LoginCaller } from './endpoint.ts'

/** Shorter answers fit in a few packets, and compression saves no round trip. */
const MIN_BYTES = 4_096

/**
 * Node's own compression, which runs on libuv's threads and never blocks the event loop. A list of 50 datasets (14.8 kB) takes
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
 * Areas whose lists stand near secrets: sessions, keys, invitations. The secrets themselves (a token, a new key, the link of an
 * invitation) are issued by other methods than GET, whose answers are never compressed. The length of a compressed answer tells
 * whether a text that an attacker put into it occurs in the secret, too.
 *
 * @see BREACH, https://breachattack.com
 */
const SECRET_AREAS: readonly Endpoint['tag'][] = ['Account', 'API keys', 'Users']

/**
 * Whether answers of an endpoint to a caller are compressed: those to people, who may be far away, and public documents. Programs
 * with an API key run in data centres, where the CPU time is worth more than the bytes.
 */
export const isCompressed = (
  { method, tag }: Endpoint,
  caller: KeyCaller | LoginCaller | undefined,
): boolean => method === 'get' && !SECRET_AREAS.includes(tag) && caller?.kind !== 'key'

/** Sets the body, by the first of zstd, Brotli and gzip that the client accepts; as it is where it is under 4 KiB. */
export async function setCompressedBody(
  ctx: Pick<Context, 'acceptsEncodings' | 'vary' | 'set' | 'body'>,
  text: string,
): Promise<void> {
  ctx.vary('Accept-Encoding')
  const bytes = Buffer.from(text)
  // one by one: of several, Koa would choose the one that the client names first, which is gzip
  const encoding = ENCODINGS.find((one) => ctx.acceptsEncodings(one) === one)
  if (bytes.length < MIN_BYTES || encoding === undefined) ctx.body = text
  else {
    ctx.body = await ENCODERS[encoding](bytes)
    ctx.set('Content-Encoding', encoding)
  }
}
