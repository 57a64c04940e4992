import { gunzipSync } from 'node:zlib'
import { Problem } from './problem.ts'
import { type Exchange, parseJson, problemOfGzip, readBody } from './read-json.ts'

/** A body that a page sent. */
export interface BrowserBody {
  /** As sent, plain or gzipped. */
  readonly wire: Buffer
  readonly gzipped: boolean
  /** Bytes of the JSON. */
  readonly bytes: number
  readonly json: unknown
}

/** What pages can send without a preflight, and JSON. A body of bytes has no type. */
const TYPE = /^(?:(?:text\/plain|application\/json)\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?)?$/i

/** Factor to which a gzipped body may inflate. */
const INFLATION = 4

/**
 * Reads JSON that a page sent. A gzipped body is recognised by its first bytes: `Content-Encoding` would require a preflight.
 *
 * @param maxBytes on the wire; a gzipped body may inflate to four times that.
 * @throws Problem `unsupported_media_type`, `payload_too_large`, `malformed_json`, or the reason for an aborted body.
 */
export async function readBrowserBody(exchange: Exchange, maxBytes: number): Promise<BrowserBody> {
  if (!TYPE.test(exchange.req.headers['content-type'] ?? ''))
    throw new Problem('unsupported_media_type', {
      detail: 'Send JSON in UTF-8 as text/plain or application/json',
    })
  const wire = await readBody(exchange, maxBytes)
  const gzipped = wire[0] === 0x1f && wire[1] === 0x8b
  const inflated = gzipped ? inflate(wire, maxBytes * INFLATION) : wire
  return { wire, gzipped, bytes: inflated.length, json: parseJson(inflated) }
}

/** On this thread: a segment of 10 KB takes 0.05 ms, and on one of libuv's three times that; the limit bounds it to 1 ms. */
function inflate(wire: Buffer, maxBytes: number): Buffer {
  try {
    return gunzipSync(wire, { maxOutputLength: maxBytes })
  } catch (error) {
    throw problemOfGzip(error, maxBytes)
  }
}
