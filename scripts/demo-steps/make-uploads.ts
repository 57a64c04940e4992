import { setImmediate } from 'node:timers/promises'
import { encodeCapture } from '../captures/encode-capture.ts'
import { type GeneratedUpload, generateCaptures } from '../captures/generate-captures.ts'
import { startProgress } from '../cli/progress.ts'

export interface DemoUpload {
  readonly platform: GeneratedUpload['capture']['platform']
  /** The request body. */
  readonly body: Omit<GeneratedUpload, 'capture'> & { readonly data: string }
}

/** Generates captures of a realistic population, whose apps obey the rules of the stores; each seed gives different captures and reference numbers. */
export async function makeUploads(seed: string, count: number, signal: AbortSignal): Promise<DemoUpload[]> {
  const progress = startProgress('Generated', count)
  const uploads: DemoUpload[] = []
  const population = generateCaptures({ seed, count, at: new Date(), policy: 'stores' })
  for (const { capture, ...details } of population) {
    uploads.push({ platform: capture.platform, body: { ...details, data: encodeCapture(capture) } })
    progress.update(uploads.length)
    await setImmediate() // lets signal handlers run
    signal.throwIfAborted()
  }
  progress.finish()
  return uploads
}
