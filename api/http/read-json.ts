import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { findAbort } from './aborted-bodies.ts'
import { Problem } from './problem.ts'

const inflate = promisify(gunzip)

/** `application/json`, optionally with charset UTF-8. */
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i

/** Some Windows editors and libraries prepend it to UTF-8. @see RFC 8259, section 8.1 */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

const withoutMark = (bytes: Buffer) =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes

/** A request and its response, as in Koa's context. */
export interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

/**
 * Reads the JSON body of a request. Sends `100 Continue` to a client that expects it, once the headers are valid.
 *
 * @param maxBytes on the wire; a gzipped body may inflate to twice that.
 * @throws Problem `unsupported_media_type`, `payload_too_large`, `malformed_json`, or the reason for an aborted body.
 */
export async function readJson(
  exchange: Exchange,
  maxBytes: number,
  parse: (bytes: Buffer) => unknown = parseJson,
): Promise<unknown> {
  return parse(await readJsonBytes(exchange, maxBytes, maxBytes * 2))
}

/** As `readJson`, without parsing it. @param maxInflated bytes of a gzipped body once it is inflated. */
export async function readJsonBytes(
  exchange: Exchange,
  maxBytes: number,
  maxInflated: number,
): Promise<Buffer> {
  if (!JSON_TYPE.test(exchange.req.headers['content-type'] ?? '')) throw new Problem('unsupported_media_type')
  const encoding = exchange.req.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip') throw new Problem('unsupported_media_type')
  const wire = await readBody(exchange, maxBytes)
  return encoding === 'gzip' ? await inflateBytes(wire, maxInflated) : wire
}

/**
 * Reads a body as it is sent. Sends `100 Continue` to a client that expects it.
 *
 * @throws Problem `payload_too_large`, or the reason for an aborted body.
 */
export async function readBody({ req: request, res }: Exchange, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') res.writeContinue()
  return readBytes(request, maxBytes)
}

/** @throws Problem `malformed_json` */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new Problem('malformed_json', { detail: 'The body is not valid UTF-8; send JSON in UTF-8' })
  try {
    return JSON.parse(withoutMark(bytes).toString('utf8'))
  } catch {
    throw new Problem('malformed_json')
  }
}

const tooLarge = (maxBytes: number) =>
  new Problem('payload_too_large', {
    detail: `The body exceeds the limit of ${maxBytes} bytes`,
  })

/** Stops listening once more than `maxBytes` have arrived; Node then discards the rest. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (settle: () => void) => {
      request
        .off('data', take)
        .off('end', end)
        .off('error', fail)
        .off('close', fail)
        .off('bodyAborted', abort)
      settle()
    }
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) finish(() => reject(tooLarge(maxBytes)))
      else chunks.push(chunk)
    }
    const end = () =>
      finish(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length)))
    const fail = () =>
      finish(() =>
        reject(
          new Problem('malformed_json', { detail: 'The connection closed before the body was complete' }),
        ),
      )
    const abort = (problem: Problem) => finish(() => reject(problem))
    request
      .on('data', take)
      .once('end', end)
      .once('error', fail)
      .once('close', fail)
      .once('bodyAborted', abort)
    const aborted = findAbort(request)
    if (aborted) abort(aborted)
  })
}

async function inflateBytes(wire: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await inflate(wire, { maxOutputLength: maxBytes })
  } catch (error) {
    throw problemOfGzip(error, maxBytes)
  }
}

/** Returns the problem of a body that could not be inflated within its limit. */
export const problemOfGzip = (error: unknown, maxBytes: number): Problem =>
  error instanceof RangeError
    ? tooLarge(maxBytes)
    : new Problem('malformed_json', {
        detail: 'The body is declared as gzip, or starts as it, but is not valid gzip',
      })
