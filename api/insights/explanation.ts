import { z } from 'zod'
import type { ScorecardTexts } from '../../db/scorecards/scorecards.ts'
import { ReferenceNumber } from '../datasets/members.ts'
import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from '../datasets/reference-number.ts'
import { endpoint, nameOfCaller } from '../http/endpoint.ts'
import { Timestamp } from '../http/timestamp.ts'
import { EXAMPLE_VERSION } from '../scorecards/scorecard-schemas.ts'
import { type FindTexts, textOf } from './explanation-texts.ts'
import { DatasetInsight, Score } from './insight-schemas.ts'
import { presentInsight } from './present-insight.ts'
import type { ReadInsight, ReadyInsight } from './read-insight.ts'

const Reason = z
  .object({
    code: z.string().meta({ description: 'Code of the reason in the definition', examples: ['R07'] }),
    text: z
      .string()
      .nullable()
      .meta({
        description: 'Text of the reason; null where there is none',
        examples: ['Many recent installs'],
      }),
    language: z
      .string()
      .nullable()
      .meta({ description: 'Language of the text, a BCP 47 tag', examples: ['en'] }),
  })
  .meta({ id: 'Reason', description: 'A reason for a score' })

const Characteristic = z
  .object({
    characteristic: z.string().meta({
      description: 'Name of the characteristic in the definition',
      examples: ['apps_installed_30d'],
    }),
    input: z
      .union([z.number(), z.boolean(), z.string()])
      .nullable()
      .meta({ description: 'Value that was scored; null: missing', examples: [12] }),
    bin: z.string().meta({ description: 'The attribute that the input falls into', examples: ['[10, 20)'] }),
    points: z
      .number()
      .meta({ description: 'In the units of the model: points, or log-odds of trees', examples: [-6] }),
    baseline: z
      .number()
      .nullable()
      .meta({ description: 'What the points are compared with for reasons', examples: [4] }),
    reason: Reason.nullable().meta({
      description: 'The reason that it stands for, whether it is one here or not',
    }),
  })
  .meta({ id: 'ExplainedCharacteristic', description: 'What a characteristic adds to the score' })

const Explained = z
  .object({
    ...Score.shape,
    noScore: z
      .string()
      .nullable()
      .meta({ description: 'Why there is no score; null where there is one', examples: [null] }),
    scorecard: z
      .object({
        version: z
          .string()
          .meta({ description: 'SHA-256 of the definition that scored', examples: [EXAMPLE_VERSION] }),
        name: z
          .string()
          .nullable()
          .meta({ description: 'Name of the scorecard', examples: ['Application score'] }),
        bad: z
          .string()
          .nullable()
          .meta({
            description: 'What the probability is of',
            examples: ['90 days past due within 12 months'],
          }),
        segment: z
          .string()
          .nullable()
          .meta({ description: 'Segment whose model scored; null without segments', examples: [null] }),
        demonstration: z
          .boolean()
          .meta({ description: 'A demonstration, which must not decide about anyone', examples: [false] }),
        direction: z
          .enum(['higherIsBetter', 'higherIsWorse'])
          .nullable()
          .meta({ description: 'What a higher score means; null where the definition is no longer known' }),
      })
      .meta({ description: 'The version of the scorecard that scored' }),
    unrounded: z
      .number()
      .nullable()
      .meta({ description: 'What value was rounded from', examples: [612] }),
    probabilityFrom: z
      .enum(['logit', 'scaling', 'table', 'model'])
      .nullable()
      .meta({ description: 'What the probability was computed from' }),
    logOdds: z
      .number()
      .nullable()
      .meta({ description: 'ln(bad:good), unrounded, where the model has it exactly', examples: [-2.54] }),
    reasons: z.array(Reason).meta({ description: 'Most important first, at most 4' }),
    base: z
      .number()
      .nullable()
      .meta({
        description:
          'The points of all characteristics are added to this, which gives what the model says: unrounded itself or, in log-odds, what the scaling line makes it from; null without characteristics',
        examples: [618],
      }),
    characteristics: z.array(Characteristic).meta({ description: 'In the order of the definition' }),
  })
  .meta({ id: 'ExplainedScore', description: 'A score to the last point' })

const Explanation = z
  .object({
    referenceNumber: ReferenceNumber,
    requestedDate: Timestamp.meta({ description: 'When this call came; UTC' }),
    calculatedDate: Timestamp.meta({ description: 'When the insight was calculated; UTC' }),
    scores: z
      .array(Explained)
      .meta({ description: 'One for each scorecard that is deployed for the platform' }),
    insight: DatasetInsight.optional().meta({
      description:
        'With insight=true: what the insight call by login token answers, so that both are one read',
    }),
  })
  .meta({ id: 'Explanation' })

const Query = z.object({
  language: z
    .string()
    .max(35)
    .optional()
    .meta({
      description: 'Of the texts of reasons, as in de or pt-BR; before those of Accept-Language',
      examples: ['en'],
    }),
  insight: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Whether to answer the insight too, in the same read' }),
})

export const explanation = (readInsight: ReadInsight, findTexts: FindTexts, waitMs: number) =>
  endpoint({
    method: 'get',
    path: '/api/insights/v1/:referenceNumber/explanation',
    operationId: 'explainScores',
    tag: 'Insights',
    summary: 'Explain the scores of a dataset to the last point',
    description:
      'Of each score: the version of the scorecard, the reasons, and of each characteristic the input, the bin, the points, ' +
      'the baseline and the reason. base and the points of all characteristics add up. Texts are in the language asked for where the ' +
      'scorecard has them, else in its own. A dataset that is still queued is processed first and waited for; the call is ' +
      'recorded like a read.',
    credential: { kind: 'either', role: 'requester', roles: ['admin', 'analyst'] },
    params: REFERENCE_NUMBER_PARAM,
    query: Query,
    waitMs,
    response: { status: 200, description: 'The explanation', schema: Explanation },
    problems: ['dataset_not_found', 'dataset_deleted', 'dataset_invalid', 'insight_not_ready'],
    async act({ caller, params, query, address, languages }) {
      const requestor = nameOfCaller(caller)
      const insight = await readInsight(caller.subscriptionId, requireReferenceNumber(params), {
        requestor,
        address,
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

/** As workers store them; what was stored before scorecards had versions has a place and a weight for each feature. */
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
