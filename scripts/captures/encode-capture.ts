import { gzipSync } from 'node:zlib'
import type { Capture } from '../../db/capture/capture.ts'

/** Offset of the byte in a gzip header that names the operating system. */
const GZIP_OS = 9

/**
 * Encodes a capture as the `data` of an upload, like the SDKs: base64 of gzip of UTF-8 JSON. The result starts with `H4sI`.
 *
 * The header contains neither time nor machine, so the same capture gives the same text with the same build of zlib.
 *
 * @see RFC 1952, 2.3
 */
export function encodeCapture(capture: Capture): string {
  const zipped = gzipSync(JSON.stringify(capture))
  zipped[GZIP_OS] = 0
  return zipped.toString('base64')
}
