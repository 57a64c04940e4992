import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readInput } from '../capture-check/read-input.ts'
import { recogniseCaptures } from '../capture-check/recognise-captures.ts'
import { encodeCapture } from '../captures/encode-capture.ts'
import { generateCaptures } from '../captures/generate-captures.ts'
import { UsageError } from '../cli/user-error.ts'

/** An upload without its reference number. */
export interface SourceUpload {
  /** The file, with the line of one that has several; or the number of a generated one. */
  readonly name: string
  readonly data: string
  readonly realIp?: string | undefined
  readonly additionalInfo?: Readonly<Record<string, string>> | undefined
}

/** Members of an upload body that are sent besides `data`, if they are valid. */
const Details = z.object({
  realIp: z.string().optional().catch(undefined),
  additionalInfo: z.record(z.string(), z.string()).optional().catch(undefined),
})

/**
 * Reads uploads from files and folders, in the order of their names: captures as JSON, gzip or base64, or bodies of uploads, of which
 * address and Additional Info are kept; one per file or one per line.
 *
 * @throws UsageError for a file without a capture.
 */
export async function readUploads(paths: readonly string[]): Promise<SourceUpload[]> {
  const uploads: SourceUpload[] = []
  for (const file of (await Promise.all(paths.map(listFiles))).flat()) {
    const bytes = await readInput(file)
    for (const found of recogniseCaptures(bytes)) {
      const name = found.line === undefined ? file : `${file}:${found.line}`
      if ('error' in found) throw new UsageError(`${name}: ${found.error}`)
      const details = found.encoding === 'upload' ? readDetails(bytes, found.line) : {}
      uploads.push({ name, data: found.blob.toString('base64'), ...details })
    }
  }
  return uploads
}

async function listFiles(path: string): Promise<string[]> {
  if (path === '-' || !(await stat(path)).isDirectory()) return [path]
  const names = await readdir(path, { recursive: true })
  return names
    .filter((name) => /\.(json|ndjson|jsonl|gz|b64|txt)$/.test(name))
    .toSorted()
    .map((name) => join(path, name))
}

function readDetails(bytes: Buffer, line: number | undefined) {
  const text = bytes.toString('utf8')
  return Details.parse(JSON.parse(line === undefined ? text : (text.split('\n')[line - 1] ?? '')))
}

/** Generates uploads of a realistic population; the same seed gives the same ones. */
export const generateUploads = (count: number, seed: string): SourceUpload[] =>
  [...generateCaptures({ seed, count, policy: 'stores' })].map(({ capture, realIp, additionalInfo }, at) => ({
    name: `generated ${at + 1}`,
    data: encodeCapture(capture),
    realIp,
    additionalInfo,
  }))
