import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const zip = promisify(gzip)

/** Offset of the byte in a gzip header that names the operating system. */
const GZIP_OS = 9

/**
 * Encodes a capture as the `data` of an upload: base64 of gzip of UTF-8 JSON.
 *
 * The header has neither time nor machine: the same capture has the same data, so that another machine can retry the upload.
 */
export async function encodeCapture(capture: object): Promise<string> {
  const zipped = await zip(JSON.stringify(capture))
  zipped[GZIP_OS] = 0
  return zipped.toString('base64')
}

/** Encodes the bytes of a gzipped capture; a text is base64 already, as the SDKs return it. */
export async function encodeData(data: string | Uint8Array | Blob): Promise<string> {
  if (typeof data === 'string') return data
  const bytes = data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : data
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
