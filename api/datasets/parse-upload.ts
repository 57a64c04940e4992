import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { parseJson } from '../http/read-json.ts'
import { decodeBase64, decodeCompactBase64 } from './decode-base64.ts'

/** The member `data` of an upload, decoded. */
export class UploadedData {
  readonly blob: Buffer
  /** SHA-256 of the text as sent. */
  readonly hash: Buffer

  private constructor(blob: Buffer, sent: string | Buffer) {
    this.blob = blob
    this.hash = hash('sha256', sent, 'buffer')
  }

  /** Returns undefined for a text that is not base64. */
  static ofText(text: string): UploadedData | undefined {
    const blob = decodeBase64(text)
    return blob && new UploadedData(blob, text)
  }

  /** As `ofText`, for the bytes of a text without white space. */
  static ofBytes(bytes: Buffer): UploadedData | undefined {
    const blob = decodeCompactBase64(bytes.toString('latin1'))
    return blob && new UploadedData(blob, bytes)
  }
}

/**
 * Parses the body of an upload as `parseJson` does, except that `data` is usually decoded already: its text is decoded from the
 * bytes of the body, without being part of a string of the whole body and of one of its own. 24 instead of 39 µs for a typical upload.
 *
 * @throws Problem `malformed_json`
 */
export const parseUpload = (body: Buffer): unknown => parseAround(body) ?? parseJson(body)

/** Stands in for `data` while the rest is parsed. Clients do not know it, so none of theirs is equal. */
const PLACEHOLDER = crypto.randomUUID()

/** Limit of the rest, so that at most this much is parsed twice. */
const MAX_REST_BYTES = 64 * 1024

/**
 * Parses the rest of the body with a placeholder for the first text of a member `data`, of which is known only where it begins
 * and ends. If the result has the placeholder as its `data`, this is the text that JSON.parse would have returned: base64 means the same
 * with and without JSON, and both texts are JSON or neither is.
 *
 * @returns undefined for every other body: one of another form, or malformed.
 */
function parseAround(body: Buffer): unknown {
  const [from, to] = findData(body)
  if (from === -1 || to === -1 || body.length - (to - from) > MAX_REST_BYTES || !isUtf8(body))
    return undefined
  const upload = tryParse(body.toString('utf8', 0, from) + PLACEHOLDER + body.toString('utf8', to))
  if (upload?.data !== PLACEHOLDER) return undefined
  const data = UploadedData.ofBytes(body.subarray(from, to))
  return data && Object.assign(upload, { data })
}

const NAME = Buffer.from('"data"')
const [SPACE, COLON, QUOTE] = Buffer.from(' :"')

/** Returns the position of the first character of the text and of the quote after it; -1 for none. */
function findData(body: Buffer): readonly [from: number, to: number] {
  const name = body.indexOf(NAME)
  if (name === -1) return [-1, -1]
  let at = name + NAME.length
  while (body[at] === SPACE) at++
  if (body[at++] !== COLON) return [-1, -1]
  while (body[at] === SPACE) at++
  if (body[at++] !== QUOTE) return [-1, -1]
  return [at, body.indexOf('"', at)]
}

function tryParse(json: string): { data?: unknown } | null | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
