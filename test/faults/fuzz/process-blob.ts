import type { Velocity } from '../../../db/capture/velocity-counts.ts'
import { Scorecard } from '../../../db/scorecards/definition/definition.ts'
import { FRAGMENT_KINDS } from '../../../db/scorecards/fragments.ts'
import demoMobile from '../../../scripts/scorecards/demo-mobile.json' with { type: 'json' }
import demoWeb from '../../../scripts/scorecards/demo-web.json' with { type: 'json' }
import { computeInsight } from '../../../worker/batches/compute-insight.ts'
import { prepareDataset } from '../../../worker/batches/prepare-dataset.ts'
import { CaptureError, type CaptureErrorCode } from '../../../worker/capture/capture-error.ts'
import { extractClaimFeatures } from '../../../worker/features/extract-features.ts'
import { compileScorecard } from '../../../worker/scoring/compile-scorecard.ts'

/** All error codes; the type checks completeness. */
export const ERROR_CODES = Object.keys({
  not_gzip: true,
  gzip_truncated: true,
  gzip_corrupt: true,
  inflated_too_large: true,
  not_utf8: true,
  not_json: true,
  too_deep: true,
  too_many_values: true,
  repeated_member: true,
  forbidden_member: true,
  unsupported_format: true,
  not_a_capture: true,
} satisfies Record<CaptureErrorCode, true>)

/** Messages must stay readable for a person. */
const MAX_MESSAGE_CHARS = 1_000

const deployment = {
  scorecards: [demoMobile, demoWeb].map((file, n) => {
    const card = Scorecard.parse(file)
    const { platforms } = card
    return {
      ...{ code: `demo_${n}`, version: '1', stage: 'champion' as const, platforms },
      scorecard: compileScorecard(card),
    }
  }),
  fragments: FRAGMENT_KINDS.all.map((kind) => ({ subscriptionId: 1, code: kind, kind })),
}
const windows = { '10m': 1, '1h': 2, '24h': 3, '7d': 4, '30d': 5 }
const velocity: Velocity = {
  device: { datasets: 9, windows, clients: 2 },
  client: { id: 'c\u001b1', datasets: 7, devices: 3, windows },
}
const additionalInfo = { clientId: 'c1', amount: '1e999' }

/**
 * Processes a blob as a worker does, without the database.
 *
 * @returns the error code, or `insight`.
 * @throws on anything else.
 */
export function processBlob(blob: Uint8Array): string {
  const uploadedAt = new Date('2026-11-20T09:00:00Z')
  const prepared = prepareDataset({
    subscriptionId: 1,
    id: 1,
    blob: Buffer.from(blob),
    realIp: '203.0.113.7',
    uploadedAt,
  })
  if ('invalid' in prepared) {
    const { invalid } = prepared
    if (!(invalid instanceof CaptureError && ERROR_CODES.includes(invalid.code))) throw invalid
    if (invalid.message === '' || invalid.message.length > MAX_MESSAGE_CHARS)
      throw new Error(`The message has ${invalid.message.length} characters`)
    return invalid.code
  }
  const { extracted } = prepared
  const features = {
    ...extracted.features,
    ...extractClaimFeatures(extracted.platform, { velocity, additionalInfo }),
  }
  for (const value of Object.values(features))
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new Error('A feature is not a finite number')
  const insight = computeInsight(extracted, features, velocity, deployment)
  for (const text of [insight.scores, insight.fragments, insight.features, insight.explanations])
    JSON.parse(text)
  return 'insight'
}
