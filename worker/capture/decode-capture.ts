import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { CAPTURE_FORMAT, type Capture } from '../../db/capture/capture.ts'
import { CaptureError } from './capture-error.ts'
import { parseCapture } from './parse-capture.ts'
import { countMembers, hasMoreNames, scanJson } from './scan-json.ts'

/** Limits of decoding; a capture that exceeds one of them is invalid. */
export interface DecodeBounds {
  readonly maxInflatedBytes: number
  readonly maxDepth: number
  /**
   * Total values, counted as commas plus opening brackets: an empty list counts twice. It also bounds the number of errors
   * that schema validation can find. The largest real captures have 100,000.
   */
  readonly maxValues: number
  /** Distinct member names: V8 creates a hidden class for each order in which members occur. */
  readonly maxNames: number
}

/** Limits of the service. */
export const DECODE_BOUNDS: DecodeBounds = {
  maxInflatedBytes: 32 * 1024 * 1024,
  maxDepth: 32,
  maxValues: 500_000,
  maxNames: 10_000,
}

/** More members than the largest real captures have. Up to here, names are not counted: parsing takes 0.2 s at most. */
const MANY_MEMBERS = 150_000

/**
 * Decodes an uploaded blob: gzip of UTF-8 JSON in the capture format.
 *
 * @throws CaptureError, and nothing else. For any input, time and memory stay within the limits.
 */
export function decodeCapture(blob: Uint8Array, bounds: DecodeBounds = DECODE_BOUNDS): Capture {
  const json = inflate(blob, bounds.maxInflatedBytes)
  if (!isUtf8(json)) throw new CaptureError('not_utf8', 'The inflated data is not UTF-8')
  const value = parseJson(json, bounds)
  const parsed = parseCapture(value)
  if ('capture' in parsed) return parsed.capture
  if (!isObject(value) || value.format !== CAPTURE_FORMAT)
    throw new CaptureError('unsupported_format', `The member format is not ${JSON.stringify(CAPTURE_FORMAT)}`)
  throw new CaptureError('not_a_capture', parsed.errors)
}

function inflate(blob: Uint8Array, maxBytes: number): Buffer {
  if (blob[0] !== 0x1f || blob[1] !== 0x8b)
    throw new CaptureError('not_gzip', 'The data does not start with the gzip magic number (H4sI in base64)')
  try {
    return gunzipSync(blob, { maxOutputLength: maxBytes, chunkSize: guessInflatedBytes(blob) })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new CaptureError('inflated_too_large', `The inflated data is larger than ${maxBytes} bytes`)
    if (code === 'Z_BUF_ERROR') throw new CaptureError('gzip_truncated', 'The gzip data is truncated')
    if (typeof code === 'string' && code.startsWith('Z_'))
      throw new CaptureError('gzip_corrupt', 'The gzip data is corrupt')
    throw error
  }
}

/** Upper limit of an output chunk, whatever size the data claims. */
const MAX_GUESS_BYTES = 1024 * 1024

/**
 * Returns the uncompressed size from the gzip trailer, plus one byte: inflating into one chunk of that size takes two
 * thirds of the time for a typical capture. A wrong size changes only the number of chunks.
 *
 * @see RFC 1952, section 2.3.1, ISIZE
 */
function guessInflatedBytes(blob: Uint8Array): number {
  if (blob.length < 18) return 1024 // shorter than a gzip member
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
    throw new CaptureError('too_many_values', `The JSON has more than ${maxNames} distinct member names`)
  let value: unknown
  try {
    value = JSON.parse(json.toString('utf8'))
  } catch (error) {
    throw new CaptureError('not_json', 'The inflated data is not JSON', { cause: error })
  }
  // JSON.parse keeps only the last of repeated members, so the counts differ.
  if (countMembers(value) !== members)
    throw new CaptureError('repeated_member', 'An object of the JSON has the same member twice')
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
