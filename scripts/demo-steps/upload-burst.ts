import { startProgress } from '../cli/progress.ts'
import { callApi } from '../servers/call-api.ts'
import type { DemoUpload } from './make-uploads.ts'

const CALLS_AT_ONCE = 16

/** Uploads all, many at once, as a lender's backend does after a campaign. */
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
      if (status !== 200) throw new Error(`The upload of ${body.referenceNumber} answered ${status}: ${text}`)
      done += 1
      progress.update(done)
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, uploadNext))
  progress.finish()
}
