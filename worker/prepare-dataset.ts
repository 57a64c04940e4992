import type { Capture } from '../db/capture.ts'
import type { Features } from '../db/features.ts'
import type { WaitingDataset } from '../db/waiting-datasets.ts'
import { CaptureError } from './capture-error.ts'
import { decodeCapture } from './decode-capture.ts'
import { extractCaptureFeatures } from './features/extract-features.ts'

/** A dataset with what its blob holds, or why it holds nothing. */
export type Prepared = { readonly dataset: WaitingDataset } & (
  | { readonly capture: Capture; readonly features: Features }
  | { readonly invalid: CaptureError }
)

/** All work on one dataset that needs nothing but itself. What the data is not to blame for is thrown. */
export function prepareDataset(dataset: WaitingDataset): Prepared {
  try {
    const capture = decodeCapture(dataset.blob)
    const { uploadedAt, realIp } = dataset
    return {
      dataset,
      capture,
      features: extractCaptureFeatures({ capture, uploadedAt, realIp: realIp ?? undefined }),
    }
  } catch (error) {
    if (error instanceof CaptureError) return { dataset, invalid: error }
    throw error
  }
}
