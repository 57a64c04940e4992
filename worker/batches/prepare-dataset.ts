import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { type Traceable, traced, tracesOf } from '../../db/runtime/tracing/traced.ts'
import { CaptureError } from '../capture/capture-error.ts'
import { decodeCapture } from '../capture/decode-capture.ts'
import { type ExtractedCapture, extractCapture } from '../capture/extract-capture.ts'

/** A dataset with its extracted capture, or why it has none. */
export type Prepared = DatasetKey &
  Traceable &
  ({ readonly extracted: ExtractedCapture } | { readonly invalid: CaptureError })

/** A dataset that waits to be processed, decrypted. */
export interface OpenedDataset extends DatasetKey, Traceable {
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
  const { subscriptionId, id, trace } = dataset
  const traces = tracesOf([dataset])
  try {
    const capture = traced('decode', traces, () => decodeCapture(dataset.blob))
    const extracted = traced('features', traces, () => extractCapture(capture, dataset))
    return { subscriptionId, id, trace, extracted }
  } catch (error) {
    if (error instanceof CaptureError) return { subscriptionId, id, trace, invalid: error }
    throw error
  }
}
