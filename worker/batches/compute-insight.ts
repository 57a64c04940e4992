import type { Features } from '../../db/capture/features.ts'
import type { Velocity } from '../../db/capture/velocity-counts.ts'
import type { ExtractedCapture } from '../capture/extract-capture.ts'
import { presentFragment } from '../fragments/present-fragment.ts'
import type { Score } from '../scoring/compile-scorecard.ts'
import type { DeployedScorecard, Deployment } from './deployments.ts'

/** The parts of an insight as JSON texts, in the order in which the API returns them. */
export interface InsightTexts {
  readonly scores: string
  readonly fragments: string
  readonly features: string
  readonly explanations: string
  /** Explanations of challengers; null where there are none. */
  readonly shadow: string | null
}

/** A score and the scorecard version that computed it. */
export interface Scored extends Pick<DeployedScorecard, 'code' | 'version' | 'stage'> {
  readonly score: Score
}

/**
 * Computes the insight of one dataset with the scorecards and fragments of its deployment.
 *
 * Leaves out scorecards for other platforms. A scorecard that cannot score has nulls, and the reason in its explanation.
 *
 * @param features of the capture, and those that are known once its dataset is claimed.
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
