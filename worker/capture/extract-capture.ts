import type { Capture, Platform } from '../../db/capture/capture.ts'
import type { Features } from '../../db/capture/features.ts'
import type { RestorableDataset } from '../../db/datasets/outbox.ts'
import { extractCaptureFeatures } from '../features/extract-features.ts'
import {
  type CaptureFragments,
  presentCaptureFragments,
  restoreCaptureFragments,
} from '../fragments/present-fragment.ts'

/** The data of a capture that an insight needs, in a hundredth of its memory. */
export interface ExtractedCapture {
  readonly platform: Platform
  readonly deviceId: string | undefined
  readonly features: Features
  readonly fragments: CaptureFragments
}

/** Extracts all data that an insight needs, so that the capture itself can be released. */
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
 * Restores the extracted capture from a stored insight, after the capture itself was deleted. Fragments that were not
 * deployed when the insight was computed are missing.
 */
export const restoreCapture = (stored: RestorableDataset): ExtractedCapture => ({
  platform: stored.platform,
  deviceId: stored.deviceId ?? undefined,
  features: JSON.parse(stored.features), // written from Features
  fragments: restoreCaptureFragments(JSON.parse(stored.fragments)),
})
