import { startProgress } from '../cli/progress.ts'
import { callApi } from '../servers/call-api.ts'
import type { DemoUpload } from './make-uploads.ts'

const CONCURRENT_CALLS = 16

/** Uploads all datasets concurrently, like a lender's backend after a campaign. */
export async function uploadBurst(
  uploads: readonly DemoUpload[],
  { baseUrl, key, signal }: { baseUrl: string; key: string; signal: AbortSignal },
): Promise<void> {
  const progress = startProgress('Uploaded', uploads.length)
  const waiting = uploads.values()
  let done = 0
  const uploadNext = async () => {
    for (const { body } of waiting) {
      const { status, text } = await callApi(baseUrl, {
        path: '/api/datasets/v1/upload',
        body,
        bearer: key,
        signal,
      })
      if (status !== 200) throw new Error(`The upload of ${body.referenceNumber} returned ${status}: ${text}`)
      done += 1
      progress.update(done)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_CALLS }, uploadNext))
  progress.finish()
}
