import type { Inkling } from '../../api/client/src/index.ts'
import { startProgress } from '../cli/progress.ts'
import type { DemoUpload } from './make-uploads.ts'

const CONCURRENT_CALLS = 16

/** Uploads all datasets concurrently, like a lender's backend after a campaign. */
export async function uploadBurst(
  uploads: readonly DemoUpload[],
  { uploader, signal }: { uploader: Inkling; signal: AbortSignal },
): Promise<void> {
  const progress = startProgress('Uploaded', uploads.length)
  const waiting = uploads.values()
  let done = 0
  const uploadNext = async () => {
    for (const { body } of waiting) {
      await uploader.upload(body, { signal })
      done += 1
      progress.update(done)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_CALLS }, uploadNext))
  progress.finish()
}
