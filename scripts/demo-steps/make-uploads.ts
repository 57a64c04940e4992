import { setImmediate } from 'node:timers/promises'
import { encodeCapture } from '../captures/encode-capture.ts'
import { type GeneratedUpload, generateCaptures } from '../captures/generate-captures.ts'
import { startProgress } from '../cli/progress.ts'

export interface DemoUpload {
  readonly platform: GeneratedUpload['capture']['platform']
  /** As it is sent. */
  readonly body: Omit<GeneratedUpload, 'capture'> & { readonly data: string }
}

/** Captures of a believable population; each seed has other ones, and other reference numbers. */
export async function makeUploads(seed: string, count: number, signal: AbortSignal): Promise<DemoUpload[]> {
  const progress = startProgress('Generated', count)
  const uploads: DemoUpload[] = []
  for (const { capture, ...details } of generateCaptures({ seed, count, at: new Date() })) {
    uploads.push({ platform: capture.platform, body: { ...details, data: encodeCapture(capture) } })
    progress.update(uploads.length)
    await setImmediate() // so that Ctrl-C is heard
    signal.throwIfAborted()
  }
  progress.finish()
  return uploads
}
