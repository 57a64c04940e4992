import type { Capture } from '../../db/capture/capture.ts'
import type { FEATURES, FeatureName } from '../../db/capture/features.ts'
import type { Velocity } from '../../db/capture/velocity-counts.ts'
import type { Events } from './events.ts'

/** Input of the features of the capture itself. */
export interface CaptureInput {
  readonly capture: Capture
  readonly uploadedAt: Date
  /** As sent; not necessarily a valid address. */
  readonly realIp: string | undefined
}

/** Input of the features of the recorded session. */
export interface SessionInput extends CaptureInput {
  /** Undefined if the capture has no session. */
  readonly events: Events | undefined
}

/** Input that is known only after the dataset is claimed. */
export interface ClaimInput {
  readonly additionalInfo: Readonly<Record<string, string | null>>
  readonly velocity: Velocity | undefined
}

/** Input of all features of one dataset. */
export interface FeatureInput extends CaptureInput, ClaimInput {}

interface ValueOfType {
  number: number
  boolean: boolean
  category: string
}

/**
 * Result of an extractor of the features `N`: a value or undefined for each of them, and nothing else.
 *
 * Numbers are finite. Undefined stands for missing and for implausible data (free memory above total, a device started
 * after the capture): no value is better than a wrong one.
 */
export type Extracted<N extends FeatureName> = {
  [K in N]: ValueOfType[(typeof FEATURES)[K]['type']] | undefined
}
