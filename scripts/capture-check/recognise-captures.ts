import { isUtf8 } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { decodeBase64 } from '../../api/datasets/decode-base64.ts'

/** The encoding in which a capture was found; `upload` is the body of an upload, with the capture in `data`. */
export type Encoding = 'json' | 'gzip' | 'base64' | 'upload'

/** A capture as the service receives it, or the reason why there is none. */
export type FoundCapture = { readonly line?: number } & (
  | { readonly encoding: Encoding; readonly blob: Buffer }
  | { readonly error: string }
)

/**
 * Finds the captures in a file: gzip, base64 of gzip, JSON, the body of an upload, or lines of the last three. Captures that are
 * not compressed are compressed, as an SDK does.
 */
export function* recogniseCaptures(file: Buffer): Generator<FoundCapture> {
  if (file.length === 0) yield { error: 'The file is empty' }
  else if (isGzip(file)) yield { encoding: 'gzip', blob: file }
  else if (!isUtf8(file))
    yield { error: 'The file is binary, but not gzip. Expected gzip, JSON in UTF-8, or base64 of gzip' }
  else yield* recogniseText(file.toString('utf8'))
}

function* recogniseText(text: string): Generator<FoundCapture> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const isLines =
    lines.length > 1 &&
    lines.every((line) => line.startsWith('{') || line.startsWith('H4sI')) &&
    isWhole(lines[0])
  if (!isLines) yield recogniseOne(text)
  else
    for (const [at, line] of text.split('\n').entries())
      if (line.trim()) yield { line: at + 1, ...recogniseOne(line) }
}

/** Whether a line is a value by itself, so that the file is not one value over several lines. */
const isWhole = (line = '') => !line.startsWith('{') || parse(line) !== undefined

function recogniseOne(text: string): FoundCapture {
  const trimmed = text.trim()
  if (trimmed === '') return { error: 'The file has only white space' }
  if (trimmed.startsWith('{')) {
    const { format, data } = (parse(trimmed) ?? {}) as { format?: unknown; data?: unknown }
    if (format !== undefined || typeof data !== 'string')
      return { encoding: 'json', blob: gzipSync(text.startsWith('{') ? text : trimmed) }
    const blob = decodeBase64(data)
    return blob ? { encoding: 'upload', blob } : { error: 'The member data of the upload is not base64' }
  }
  const blob = decodeBase64(trimmed.replace(/^"(.*)"$/s, '$1'))
  if (blob && isGzip(blob)) return { encoding: 'base64', blob }
  return {
    error: blob
      ? 'The file is base64, but not of gzip: the text must start with H4sI'
      : 'The file is text, but neither a JSON object nor base64 of gzip',
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b
