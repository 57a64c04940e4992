import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Problem } from './problem.ts'

const inflate = promisify(gunzip)

/** `application/json`, with no charset but UTF-8. */
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i

/**
 * The JSON value in the body of a request.
 *
 * @param maxBytes on the wire; a gzipped body may inflate to twice that.
 * @throws Problem `unsupported_media_type`, `payload_too_large` or `malformed_json`.
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) throw new Problem('unsupported_media_type')
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip') throw new Problem('unsupported_media_type')

  const wire = await readBytes(request, maxBytes)
  const bytes = encoding === 'gzip' ? await inflateBytes(wire, maxBytes * 2) : wire
  if (!isUtf8(bytes))
    throw new Problem('malformed_json', { detail: 'The body is not UTF-8; send JSON in UTF-8' })
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new Problem('malformed_json')
  }
}

const tooLarge = (maxBytes: number) =>
  new Problem('payload_too_large', {
    detail: `The body is larger than ${maxBytes} bytes, which is the most this service accepts`,
  })

/** Stops listening, and so lets Node discard the rest, as soon as more than `maxBytes` were announced or came. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (settle: () => void) => {
      request.off('data', take).off('end', end).off('error', fail).off('close', fail)
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
        reject(new Problem('malformed_json', { detail: 'The connection ended before the whole body came' })),
      )
    request.on('data', take).once('end', end).once('error', fail).once('close', fail)
  })
}

async function inflateBytes(wire: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await inflate(wire, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes)
    throw new Problem('malformed_json', { detail: 'The body is not gzip, though Content-Encoding says so' })
  }
}
