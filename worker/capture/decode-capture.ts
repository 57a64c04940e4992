import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { CAPTURE_FORMAT, type Capture } from '../../db/capture/capture.ts'
import { CaptureError } from './capture-error.ts'
import { parseCapture } from './parse-capture.ts'
import { countMembers, hasMoreNames, scanJson } from './scan-json.ts'

/** Bounds of decoding; a capture over one of them is invalid. */
export interface DecodeBounds {
  readonly maxInflatedBytes: number
  readonly maxDepth: number
  /**
   * Values in all, counted as commas and opening brackets: an empty list counts twice. It also bounds how many faults a
   * schema check can find. The largest real captures have 100,000.
   */
  readonly maxValues: number
  /** Different names of members: the engine makes a shape for each way in which they follow each other. */
  readonly maxNames: number
}

const DEFAULT_BOUNDS: DecodeBounds = {
  maxInflatedBytes: 32 * 1024 * 1024,
  maxDepth: 32,
  maxValues: 500_000,
  maxNames: 10_000,
}

/** More members than the largest real captures have. Up to them, names may be as many: it takes 0.2 s at most. */
const MANY_MEMBERS = 150_000

/**
 * What an uploaded blob holds: gzip of UTF-8 JSON in the capture format.
 *
 * @throws CaptureError with the reason why it holds none. Nothing else: whatever the bytes are, work and memory stay
 * within the bounds.
 */
export function decodeCapture(blob: Uint8Array, bounds: DecodeBounds = DEFAULT_BOUNDS): Capture {
  const json = inflate(blob, bounds.maxInflatedBytes)
  if (!isUtf8(json)) throw new CaptureError('not_utf8', 'The inflated data is not UTF-8')
  const value = parseJson(json, bounds)
  const parsed = parseCapture(value)
  if ('capture' in parsed) return parsed.capture
  if (!isObject(value) || value.format !== CAPTURE_FORMAT)
    throw new CaptureError('unsupported_format', `The member format is not ${JSON.stringify(CAPTURE_FORMAT)}`)
  throw new CaptureError('not_a_capture', parsed.faults)
}

function inflate(blob: Uint8Array, maxBytes: number): Buffer {
  if (blob[0] !== 0x1f || blob[1] !== 0x8b)
    throw new CaptureError('not_gzip', 'The data does not start with the mark of gzip (H4sI in base64)')
  try {
    return gunzipSync(blob, { maxOutputLength: maxBytes, chunkSize: guessInflatedBytes(blob) })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new CaptureError('inflated_too_large', `The inflated data is larger than ${maxBytes} bytes`)
    if (code === 'Z_BUF_ERROR') throw new CaptureError('gzip_truncated', 'The gzip data ends too early')
    if (typeof code === 'string' && code.startsWith('Z_'))
      throw new CaptureError('gzip_corrupt', 'The gzip data is corrupt')
    throw error
  }
}

/** A piece of output is never larger, whatever the data says of itself. */
const MAX_GUESS_BYTES = 1024 * 1024

/**
 * The size that gzip says the data had, plus one byte: inflated into one piece of that size, a typical capture costs two
 * thirds of the time. Of data that lies about it only the number of pieces differs.
 *
 * @see RFC 1952, section 2.3.1, ISIZE
 */
function guessInflatedBytes(blob: Uint8Array): number {
  if (blob.length < 18) return 1024 // less than a gzip member
  const size = new DataView(blob.buffer, blob.byteOffset + blob.length - 4, 4).getUint32(0, true)
  return Math.min(Math.max(size + 1, 1024), MAX_GUESS_BYTES)
}

function parseJson(json: Buffer, { maxDepth, maxValues, maxNames }: DecodeBounds): unknown {
  const { depth, members, commas, openings } = scanJson(json, maxDepth)
  if (commas + openings > maxValues)
    throw new CaptureError('too_many_values', `The JSON has more than ${maxValues} values`)
  if (depth > maxDepth)
    throw new CaptureError('too_deep', `The JSON is nested deeper than ${maxDepth} levels`)
  if (members > MANY_MEMBERS && hasMoreNames(json, maxNames))
    throw new CaptureError('too_many_values', `The JSON has more than ${maxNames} different names of members`)
  let value: unknown
  try {
    value = JSON.parse(json.toString('utf8'))
  } catch (error) {
    throw new CaptureError('not_json', 'The inflated data is not JSON', { cause: error })
  }
  // JSON.parse keeps the last of repeated members: fewer are left than were written.
  if (countMembers(value) !== members)
    throw new CaptureError('repeated_member', 'An object of the JSON has the same member twice')
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
