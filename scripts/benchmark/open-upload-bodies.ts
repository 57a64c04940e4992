import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { CaptureSize } from '../captures/size.ts'
import type { UploadBody } from './read-upload-bodies.ts'

/**
 * Returns a file of this number of generated uploads. The file is reused, because generating takes longer than sending.
 *
 * Its name contains a hash of the generator's sources, so that a change of them gives a new file.
 */
export async function openUploadBodies(
  directory: string,
  { seed, size, count }: { seed: string; size: CaptureSize; count: number },
  signal: AbortSignal,
): Promise<string> {
  mkdirSync(directory, { recursive: true })
  const seedName = createHash('sha256').update(`${hashGenerator()} ${seed}`).digest('hex').slice(0, 10)
  const file = join(directory, `uploads-${size}-${count}-${seedName}.ndjson`)
  if (existsSync(file)) return file
  // loaded on demand: the generator's browser models take seconds to load
  const [{ encodeCapture }, { generateCaptures }] = await Promise.all([
    import('../captures/encode-capture.ts'),
    import('../captures/generate-captures.ts'),
  ])
  const lines: string[] = []
  for (const { capture, realIp, additionalInfo } of generateCaptures({ seed, size, count })) {
    lines.push(JSON.stringify({ data: encodeCapture(capture), realIp, additionalInfo } satisfies UploadBody))
    if (lines.length % 20 === 0) await setImmediate() // lets signal handlers run
    signal.throwIfAborted()
  }
  writeFileSync(`${file}.partial`, `${lines.join('\n')}\n`)
  renameSync(`${file}.partial`, file)
  return file
}

function hashGenerator(): string {
  const directory = join(import.meta.dirname, '..', 'captures')
  const hash = createHash('sha256')
  for (const file of globSync('*.ts', { cwd: directory }).sort())
    hash.update(readFileSync(join(directory, file)))
  return hash.digest('hex')
}
