import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { UsageError } from '../cli/user-error.ts'

/** Larger files are rejected before they are read. */
const MAX_FILE_BYTES = 256 * 1024 * 1024

/**
 * Reads a whole file, or stdin for `-`.
 *
 * @throws UsageError if it is not a file of at most 256 MiB; the error of the system if it cannot be read.
 */
export async function readInput(path: string): Promise<Buffer> {
  if (path === '-') return readAll(process.stdin, 'stdin')
  const stats = await stat(path)
  if (stats.isDirectory())
    throw new UsageError(
      `${path} is a directory. Name the files, for example ${path.replace(/\/*$/, '/')}*.json`,
    )
  if (!stats.isFile() && !stats.isFIFO()) throw new UsageError(`${path} is not a file`)
  return readAll(createReadStream(path), path)
}

async function readAll(stream: AsyncIterable<Buffer>, name: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > MAX_FILE_BYTES) throw new UsageError(`${name} is larger than 256 MiB; split it`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
