import type { Velocity } from '../../db/capture/velocity-counts.ts'
import type { StoredInsight } from '../../db/datasets/insights.ts'
import type { ClaimedDataset, Settlement } from '../../db/datasets/outbox.ts'
import type { CaptureError } from '../capture/capture-error.ts'
import type { ExtractedCapture } from '../capture/extract-capture.ts'
import { extractClaimFeatures } from '../features/extract-features.ts'
import { computeInsight, type Scored } from './compute-insight.ts'
import type { Deployment } from './deployments.ts'

/** A claimed dataset with all input of its insight, or why it has none. */
export type ClaimedCapture = { readonly claim: ClaimedDataset } & (
  | { readonly extracted: ExtractedCapture; readonly velocity: Velocity; readonly deployment: Deployment }
  | { readonly invalid: CaptureError }
)

/** What is written of a batch. */
export interface ComputedBatch {
  readonly insights: readonly StoredInsight[]
  readonly settlements: readonly Settlement[]
  /** Scores of the datasets that had no insight before. */
  readonly scored: readonly { readonly subscriptionId: number; readonly scored: readonly Scored[] }[]
}

/** Computes the insights and outcomes of claimed datasets. Pure: without I/O, clock or state. */
export function computeBatch(claimed: readonly ClaimedCapture[]): ComputedBatch {
  const insights: StoredInsight[] = []
  const settlements: Settlement[] = []
  const scoredFirst: { subscriptionId: number; scored: readonly Scored[] }[] = []
  for (const dataset of claimed) {
    const { subscriptionId, id, ready, additionalInfo } = dataset.claim
    if ('invalid' in dataset) {
      const invalid = { code: dataset.invalid.code, detail: storable(dataset.invalid.message) }
      const { velocity } = dataset.claim
      settlements.push({ subscriptionId, id, platform: null, deviceId: null, velocity, invalid, ready })
      continue
    }
    const { extracted, velocity, deployment } = dataset
    const { platform, deviceId } = extracted
    const features = {
      ...extracted.features,
      ...extractClaimFeatures(platform, { velocity, additionalInfo }),
    }
    const { scored, ...texts } = computeInsight(extracted, features, velocity, deployment)
    insights.push({ subscriptionId, id, ...texts })
    if (!ready) scoredFirst.push({ subscriptionId, scored })
    settlements.push({
      subscriptionId,
      id,
      platform,
      deviceId: deviceId === undefined ? null : storable(deviceId),
      velocity,
      invalid: null,
      ready,
    })
  }
  return { insights, settlements, scored: scoredFirst }
}

/** Postgres text holds neither NUL nor unpaired surrogates. */
const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD')
