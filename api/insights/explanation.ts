import { z } from 'zod'
import type { ScorecardTexts } from '../../db/scorecards/scorecards.ts'
import { ReferenceNumber } from '../datasets/members.ts'
import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from '../datasets/reference-number.ts'
import { endpoint } from '../http/endpoint.ts'
import { Timestamp } from '../http/timestamp.ts'
import { EXAMPLE_VERSION, REASON_MEMBERS } from '../scorecards/scorecard-schemas.ts'
import { type FindTexts, textOf } from './explanation-texts.ts'
import { DatasetInsight, Score } from './insight-schemas.ts'
import { presentInsight } from './present-insight.ts'
import type { ReadInsight } from './read-insight.ts'
import type { ReadyInsight } from './ready-insight.ts'

const Reason = z
  .object({
    ...REASON_MEMBERS,
    language: z
      .string()
      .nullable()
      .meta({ description: 'Language of the text as a BCP 47 tag', examples: ['en'] }),
  })
  .meta({ id: 'Reason', description: 'Reason for a score' })

const Characteristic = z
  .object({
    characteristic: z.string().meta({
      description: 'Name of the characteristic in the definition',
      examples: ['apps_installed_30d'],
    }),
    input: z
      .union([z.number(), z.boolean(), z.string()])
      .nullable()
      .meta({ description: 'Scored value; null if missing', examples: [12] }),
    bin: z.string().meta({ description: 'Bin that contains the input', examples: ['[10, 20)'] }),
    points: z.number().meta({
      description: 'Contribution in the units of the model: points, or log-odds for trees',
      examples: [-6],
    }),
    baseline: z
      .number()
      .nullable()
      .meta({ description: 'Baseline to which the points are compared to select reasons', examples: [4] }),
    reason: Reason.nullable().meta({
      description: 'Reason of the characteristic, whether or not it is among the reasons of this score',
    }),
  })
  .meta({ id: 'ExplainedCharacteristic', description: 'Contribution of a characteristic to the score' })

const Explained = z
  .object({
    ...Score.shape,
    noScore: z
      .string()
      .nullable()
      .meta({ description: 'Why there is no score; null if there is one', examples: [null] }),
    scorecard: z
      .object({
        version: z
          .string()
          .meta({ description: 'SHA-256 of the scorecard definition', examples: [EXAMPLE_VERSION] }),
        name: z
          .string()
          .nullable()
          .meta({ description: 'Name of the scorecard', examples: ['Application score'] }),
        bad: z
          .string()
          .nullable()
          .meta({
            description: 'Outcome whose probability is estimated',
            examples: ['90 days past due within 12 months'],
          }),
        segment: z
          .string()
          .nullable()
          .meta({ description: 'Segment whose model was used; null without segments', examples: [null] }),
        demonstration: z.boolean().meta({
          description: 'Whether it is a demonstration, not to be used for decisions',
          examples: [false],
        }),
        direction: z
          .enum(['higherIsBetter', 'higherIsWorse'])
          .nullable()
          .meta({ description: 'Meaning of a higher score; null if the definition is no longer stored' }),
      })
      .meta({ description: 'Version of the scorecard' }),
    unrounded: z
      .number()
      .nullable()
      .meta({ description: 'Score before rounding', examples: [612] }),
    probabilityFrom: z
      .enum(['logit', 'scaling', 'table', 'model'])
      .nullable()
      .meta({ description: 'Source of the probability' }),
    logOdds: z
      .number()
      .nullable()
      .meta({
        description: 'ln(bad:good), unrounded; null unless the model defines it exactly',
        examples: [-2.54],
      }),
    reasons: z.array(Reason).meta({ description: 'Most important first, at most 4' }),
    base: z
      .number()
      .nullable()
      .meta({
        description:
          'Start value: base plus the points of all characteristics is the unrounded score or, in log-odds, the input of the scaling; null without characteristics',
        examples: [618],
      }),
    characteristics: z.array(Characteristic).meta({ description: 'In the order of the definition' }),
  })
  .meta({ id: 'ExplainedScore', description: 'A score with the contribution of each characteristic' })

const Explanation = z
  .object({
    referenceNumber: ReferenceNumber,
    requestedDate: Timestamp.meta({ description: 'When the request was received; UTC' }),
    calculatedDate: Timestamp.meta({ description: 'When the insight was calculated; UTC' }),
    scores: z.array(Explained).meta({ description: 'One score per scorecard deployed for the platform' }),
    insight: DatasetInsight.optional().meta({
      description: 'With insight=true: the insight, as requestDatasetInsight returns it, from the same read',
    }),
  })
  .meta({ id: 'Explanation' })

const Query = z.object({
  language: z
    .string()
    .max(35)
    .optional()
    .meta({
      description: 'Language of reason texts, such as de or pt-BR; takes precedence over Accept-Language',
      examples: ['en'],
    }),
  insight: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Whether to include the insight of the same read' }),
})

export const explanation = (readInsight: ReadInsight, findTexts: FindTexts, waitMs: number) =>
  endpoint({
    method: 'get',
    path: '/api/insights/v1/:referenceNumber/explanation',
    operationId: 'explainScores',
    tag: 'Insights',
    summary: 'Explains the scores of a dataset',
    description:
      'Returns for each score the version of the scorecard, the reasons, and for each characteristic the input, bin, points, ' +
      'baseline and reason. The score is base plus the points of all characteristics. Texts are in the requested language if the ' +
      'scorecard has it, otherwise in its own. Waits for a dataset that is still queued, and processes it first. Recorded as a ' +
      'read of the insight.',
    credential: { kind: 'either', scope: 'insights:read', roles: ['admin', 'analyst'] },
    params: REFERENCE_NUMBER_PARAM,
    query: Query,
    waitMs,
    response: { status: 200, description: 'The explanation', schema: Explanation },
    problems: ['dataset_not_found', 'dataset_deleted', 'dataset_invalid', 'insight_not_ready'],
    async act({ caller, actor: requestor, params, query, languages }) {
      const insight = await readInsight(caller.subscriptionId, requireReferenceNumber(params), {
        requestor,
        explained: true,
      })
      const scores = readStored(insight)
      const texts = await findTexts(caller.subscriptionId, [...new Set(scores.map(({ version }) => version))])
      const wanted = [...(query.language === undefined ? [] : [query.language]), ...languages()]
      return {
        referenceNumber: insight.referenceNumber,
        requestedDate: insight.requestedDate,
        calculatedDate: insight.calculatedDate,
        scores: scores.map((score) => present(score, texts.get(score.version), wanted)),
        ...(query.insight === 'true' && { insight: JSON.parse(presentInsight(insight, requestor)) }),
      }
    },
  })

/** As stored by workers. Entries from before scorecards had versions have a bin number and a weight for each feature. */
type StoredContribution =
  | {
      characteristic: string
      input: number | boolean | string | null
      bin: string
      points: number
      baseline: number | null
      reasonCode: string | null
    }
  | { feature: string; input: number | boolean | string | null; bin: number; weight: number }

interface StoredExplanation {
  code: string
  version: string
  value: number | null
  probability: number | null
  reason?: string
  unrounded?: number
  probabilityFrom?: 'logit' | 'scaling' | 'table' | 'model' | null
  logOdds?: number | null
  segment?: string | null
  reasons?: string[]
  base?: number | null
  contributions?: StoredContribution[]
}

const readStored = ({ explanations }: ReadyInsight): StoredExplanation[] => JSON.parse(explanations ?? '[]')

function present(
  stored: StoredExplanation,
  texts: ScorecardTexts | undefined,
  languages: readonly string[],
): z.output<typeof Explained> {
  const reasonOf = (code: string) => ({
    code,
    ...((texts && textOf(texts, code, languages)) ?? { text: null, language: null }),
  })
  return {
    code: stored.code,
    value: stored.value,
    probability: stored.probability,
    noScore: stored.reason ?? null,
    scorecard: {
      version: stored.version,
      name: texts?.name ?? null,
      bad: texts?.bad ?? null,
      segment: stored.segment ?? null,
      demonstration: texts?.demonstration ?? false,
      direction: texts?.direction ?? null,
    },
    unrounded: stored.unrounded ?? null,
    probabilityFrom: stored.probabilityFrom ?? null,
    logOdds: stored.logOdds ?? null,
    reasons: (stored.reasons ?? []).map(reasonOf),
    base: stored.base ?? null,
    characteristics: (stored.contributions ?? []).map((contribution) =>
      'feature' in contribution
        ? {
            ...{
              characteristic: contribution.feature,
              input: contribution.input,
              bin: `bin ${contribution.bin}`,
            },
            ...{ points: contribution.weight, baseline: null, reason: null },
          }
        : {
            characteristic: contribution.characteristic,
            input: contribution.input,
            bin: contribution.bin,
            points: contribution.points,
            baseline: contribution.baseline,
            reason: contribution.reasonCode === null ? null : reasonOf(contribution.reasonCode),
          },
    ),
  }
}
