import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import type { WaitingDataset } from '../../db/datasets/outbox.ts'
import { CaptureError } from '../capture/capture-error.ts'
import { decodeCapture } from '../capture/decode-capture.ts'
import { type ExtractedCapture, extractCapture } from '../capture/extract-capture.ts'

/** A dataset with its extracted capture, or why it has none. */
export type Prepared = DatasetKey &
  ({ readonly extracted: ExtractedCapture } | { readonly invalid: CaptureError })

/**
 * Decodes and extracts one dataset, without I/O.
 *
 * @throws errors that the data does not cause.
 */
export function prepareDataset(
  dataset: Omit<WaitingDataset, 'collectionId'> & { readonly blob: Buffer },
): Prepared {
  const { subscriptionId, id } = dataset
  try {
    return { subscriptionId, id, extracted: extractCapture(decodeCapture(dataset.blob), dataset) }
  } catch (error) {
    if (error instanceof CaptureError) return { subscriptionId, id, invalid: error }
    throw error
  }
}
