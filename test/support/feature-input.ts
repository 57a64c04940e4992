import { Capture } from '../../db/capture/capture.ts'
import type { Features } from '../../db/capture/features.ts'
import { extractFeatures } from '../../worker/features/extract-features.ts'
import type { FeatureInput } from '../../worker/features/extractor.ts'

/** A Friday; 16:15 in Manila. */
export const COLLECTED_AT = '2026-11-20T08:15:30.000Z'

/** The input of a capture with these members, uploaded 12.5 s after it was collected. */
export function anInput(capture: object = {}, rest: Partial<FeatureInput> = {}): FeatureInput {
  return {
    capture: Capture.parse({
      format: 'capture/1',
      platform: 'android',
      collectedAt: COLLECTED_AT,
      ...capture,
    }),
    uploadedAt: new Date('2026-11-20T08:15:42.500Z'),
    realIp: undefined,
    additionalInfo: {},
    velocity: undefined,
    ...rest,
  }
}

export const featuresOf = (capture: object, rest?: Partial<FeatureInput>): Features =>
  extractFeatures(anInput(capture, rest))

/** Features of a web capture with these members. */
export const webFeaturesOf = (capture: object): Features => featuresOf({ platform: 'web', ...capture })
