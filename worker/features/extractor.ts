import type { Capture } from '../../db/capture/capture.ts'
import type { FEATURES, FeatureName } from '../../db/capture/features.ts'
import type { Velocity } from '../../db/capture/velocity-counts.ts'
import type { Events } from './events.ts'

/** What the features of the capture itself are computed from. */
export interface CaptureInput {
  readonly capture: Capture
  readonly uploadedAt: Date
  /** As sent; may be no address at all. */
  readonly realIp: string | undefined
}

/** What those extractors read that are about the recorded session. */
export interface SessionInput extends CaptureInput {
  /** Undefined where the capture has no session. */
  readonly events: Events | undefined
}

/** What is known only once a dataset is claimed. */
export interface ClaimInput {
  readonly additionalInfo: Readonly<Record<string, string>>
  readonly velocity: Velocity | undefined
}

/** All that the features of one dataset are computed from. */
export interface FeatureInput extends CaptureInput, ClaimInput {}

interface ValueOfType {
  number: number
  boolean: boolean
  category: string
}

/**
 * What an extractor of the features `N` returns: a value or undefined for each of them, and nothing else.
 *
 * Numbers are finite. Undefined stands for what the dataset doesn't tell, and also for what it tells absurdly
 * (free memory above total, a device started after the capture): no value is better than nonsense.
 */
export type Extracted<N extends FeatureName> = {
  [K in N]: ValueOfType[(typeof FEATURES)[K]['type']] | undefined
}
