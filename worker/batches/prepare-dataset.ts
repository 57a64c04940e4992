import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { CaptureError } from '../capture/capture-error.ts'
import { decodeCapture } from '../capture/decode-capture.ts'
import { type ExtractedCapture, extractCapture } from '../capture/extract-capture.ts'

/** A dataset with its extracted capture, or why it has none. */
export type Prepared = DatasetKey &
  ({ readonly extracted: ExtractedCapture } | { readonly invalid: CaptureError })

/** A dataset that waits to be processed, decrypted. */
export interface OpenedDataset extends DatasetKey {
  readonly blob: Buffer
  readonly realIp: string | null
  readonly uploadedAt: Date
}

/**
 * Decodes and extracts one dataset, without I/O.
 *
 * @throws errors that the data does not cause.
 */
export function prepareDataset(dataset: OpenedDataset): Prepared {
  const { subscriptionId, id } = dataset
  try {
    return { subscriptionId, id, extracted: extractCapture(decodeCapture(dataset.blob), dataset) }
  } catch (error) {
    if (error instanceof CaptureError) return { subscriptionId, id, invalid: error }
    throw error
  }
}
