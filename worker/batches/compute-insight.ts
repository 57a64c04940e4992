import type { Features } from '../../db/capture/features.ts'
import type { Velocity } from '../../db/capture/velocity-counts.ts'
import type { ExtractedCapture } from '../capture/extract-capture.ts'
import { presentFragment } from '../fragments/present-fragment.ts'
import type { Score } from '../scoring/compile-scorecard.ts'
import type { DeployedScorecard, Deployment } from './deployments.ts'

/** The parts of an insight as JSON texts, in the order of the interface. */
export interface InsightTexts {
  readonly scores: string
  readonly fragments: string
  readonly features: string
  readonly explanations: string
  /** Explanations of challengers; null where there are none. */
  readonly shadow: string | null
}

/** What a scorecard said. */
export interface Scored extends Pick<DeployedScorecard, 'code' | 'version' | 'stage'> {
  readonly score: Score
}

/**
 * The insight of one dataset under what its subscription has deployed.
 *
 * Scorecards for other platforms are left out; one that cannot score has nulls, and its explanation the reason.
 *
 * @param features those of the capture, and of what is known since its dataset was claimed.
 */
export function computeInsight(
  { platform, fragments: ofCapture }: ExtractedCapture,
  features: Features,
  velocity: Velocity,
  deployment: Deployment,
): InsightTexts & { readonly scored: readonly Scored[] } {
  const scored: Scored[] = deployment.scorecards
    .filter(({ platforms }) => platforms.includes(platform))
    .map(({ code, version, stage, scorecard }) => ({
      ...{ code, version, stage },
      score: scorecard.score(features, platform),
    }))
  const champions = scored.filter(({ stage }) => stage === 'champion')
  const challengers = scored.filter(({ stage }) => stage === 'challenger')
  const fragments = deployment.fragments.flatMap(({ code, kind }) => {
    const value = presentFragment(kind, platform, ofCapture, velocity)
    return value === undefined ? [] : [`{"code":${JSON.stringify(code)},"value":${value}}`]
  })
  return {
    scores: JSON.stringify(
      champions.map(({ code, score: { value, probability } }) => ({ code, value, probability })),
    ),
    fragments: `[${fragments.join(',')}]`,
    features: JSON.stringify(features),
    explanations: explain(champions),
    shadow: challengers.length === 0 ? null : explain(challengers),
    scored,
  }
}

const explain = (scored: readonly Scored[]) =>
  JSON.stringify(scored.map(({ code, version, score }) => ({ code, version, ...score })))
