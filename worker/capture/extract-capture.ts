import type { Capture, Platform } from '../../db/capture/capture.ts'
import type { Features } from '../../db/capture/features.ts'
import type { RestorableDataset } from '../../db/datasets/outbox.ts'
import { extractCaptureFeatures } from '../features/extract-features.ts'
import {
  type CaptureFragments,
  presentCaptureFragments,
  recallCaptureFragments,
} from '../fragments/present-fragment.ts'

/** All that an insight needs of a capture, in a hundredth of its memory. */
export interface ExtractedCapture {
  readonly platform: Platform
  readonly deviceId: string | undefined
  readonly features: Features
  readonly fragments: CaptureFragments
}

/** Reads everything out of a capture that will be asked for, so that it can be let go at once. */
export function extractCapture(
  capture: Capture,
  upload: { readonly uploadedAt: Date; readonly realIp: string | null },
): ExtractedCapture {
  const { uploadedAt, realIp } = upload
  return {
    platform: capture.platform,
    deviceId: capture.device?.id || undefined,
    features: extractCaptureFeatures({ capture, uploadedAt, realIp: realIp ?? undefined }),
    fragments: presentCaptureFragments(capture),
  }
}

/**
 * The digest of a capture that is gone, from the insight that was computed of it: the same, but that a fragment which was
 * not deployed then is missing.
 */
export const restoreCapture = (kept: RestorableDataset): ExtractedCapture => ({
  platform: kept.platform,
  deviceId: kept.deviceId ?? undefined,
  features: JSON.parse(kept.features), // as it was written from Features
  fragments: recallCaptureFragments(JSON.parse(kept.fragments)),
})
