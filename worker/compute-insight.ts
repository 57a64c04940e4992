import type { Features } from '../db/features.ts'
import type { Velocity } from '../db/velocity-counts.ts'
import type { Deployment } from './deployments.ts'
import type { Digest } from './digest.ts'
import { presentFragment } from './fragments/present-fragment.ts'
import { score } from './scoring/score.ts'

/** The parts of an insight as JSON texts, in the order of the interface. */
export interface InsightTexts {
  readonly scores: string
  readonly fragments: string
  readonly features: string
  readonly explanations: string
}

/**
 * The insight of one dataset under what its subscription has deployed.
 *
 * Scorecards for other platforms are left out; one that cannot score has nulls, and its explanation the reason.
 *
 * @param features those of the capture, and of what is known since its dataset was claimed.
 */
export function computeInsight(
  { platform, fragments: ofCapture }: Digest,
  features: Features,
  velocity: Velocity,
  deployment: Deployment,
): InsightTexts {
  const scored = deployment.scorecards
    .filter(({ definition }) => definition.platforms.includes(platform))
    .map(({ code, version, definition }) => ({ code, version, score: score(definition, features) }))
  const fragments = deployment.fragments.flatMap(({ code, kind }) => {
    const value = presentFragment(kind, platform, ofCapture, velocity)
    return value === undefined ? [] : [`{"code":${JSON.stringify(code)},"value":${value}}`]
  })
  return {
    scores: JSON.stringify(
      scored.map(({ code, score: { value, probability } }) => ({ code, value, probability })),
    ),
    fragments: `[${fragments.join(',')}]`,
    features: JSON.stringify(features),
    explanations: JSON.stringify(scored.map(({ code, version, score }) => ({ code, version, ...score }))),
  }
}
