import type { Capture } from '../../../db/capture/capture.ts'
import type { Features } from '../../../db/capture/features.ts'
import type { Velocity } from '../../../db/capture/velocity-counts.ts'
import type { AdditionalInfo } from '../../../db/datasets/datasets.ts'
import type { Db } from '../../../db/postgres/database.ts'
import type { Deployment, Deployments } from '../../../worker/batches/deployments.ts'
import { CaptureError } from '../../../worker/capture/capture-error.ts'
import { decodeCapture } from '../../../worker/capture/decode-capture.ts'
import { extractCaptureFeatures, extractClaimFeatures } from '../../../worker/features/extract-features.ts'
import { presentCaptureFragments, presentFragment } from '../../../worker/fragments/present-fragment.ts'
import { countVelocity } from './count-velocity.ts'

interface DatasetRow {
  readonly subscription_id: number
  readonly data: Buffer
  readonly real_ip: string | null
  readonly additional_info: AdditionalInfo
  readonly uploaded_at: Date
}

/** Processes one dataset in one transaction with the same decoding, features and scores as Inkling, query by query. */
export async function processDataset(db: Db, deployments: Deployments, id: number): Promise<void> {
  const dataset: DatasetRow | undefined = await db('textbook.datasets')
    .where({ id, status: 'received' })
    .first('subscription_id', 'data', 'real_ip', 'additional_info', 'uploaded_at')
  if (!dataset) return
  const { subscription_id: subscriptionId, additional_info: additionalInfo } = dataset
  const decoded = decode(dataset.data)
  if (decoded instanceof CaptureError) {
    await db('textbook.datasets')
      .where({ id })
      .update({ status: 'invalid', invalid_detail: decoded.message, settled_at: db.raw('clock_timestamp()') })
    return
  }
  const capture = decoded
  const captured = extractCaptureFeatures({
    capture,
    uploadedAt: dataset.uploaded_at,
    realIp: dataset.real_ip ?? undefined,
  })
  const deployment = (await deployments.find([subscriptionId])).get(subscriptionId)
  if (!deployment) throw new Error('The subscription has nothing deployed')

  await db.transaction(async (trx) => {
    const claimed = await trx('textbook.datasets').where({ id, status: 'received' }).forUpdate().first('id')
    if (!claimed) return
    const deviceId = capture.device?.id || undefined
    const { uploaded_at: uploadedAt } = dataset
    const velocity = await countVelocity(trx, {
      subscriptionId,
      deviceId,
      clientId: additionalInfo.clientId,
      uploadedAt,
    })
    const features = { ...captured, ...extractClaimFeatures(capture.platform, { velocity, additionalInfo }) }
    const scores = scoreRows(id, capture, features, deployment)
    if (scores.length > 0) await trx('textbook.scores').insert(scores)
    const fragments = fragmentRows(id, capture, velocity, deployment)
    if (fragments.length > 0) await trx('textbook.fragments').insert(fragments)
    await trx('textbook.features').insert({ dataset_id: id, values: JSON.stringify(features) })
    await trx('textbook.datasets')
      .where({ id })
      .update({
        status: 'ready',
        platform: capture.platform,
        device_id: deviceId ?? null,
        settled_at: trx.raw('clock_timestamp()'),
      })
  })
}

function decode(data: Buffer): Capture | CaptureError {
  try {
    return decodeCapture(data)
  } catch (error) {
    if (error instanceof CaptureError) return error
    throw error
  }
}

function scoreRows(id: number, capture: Capture, features: Features, { scorecards }: Deployment): object[] {
  return scorecards
    .filter(({ platforms }) => platforms.includes(capture.platform))
    .map(({ code, version, scorecard }) => {
      const { value, probability, ...explanation } = scorecard.score(features, capture.platform)
      return {
        dataset_id: id,
        code,
        version,
        value,
        probability,
        explanation: JSON.stringify(explanation),
      }
    })
}

function fragmentRows(id: number, capture: Capture, velocity: Velocity, { fragments }: Deployment): object[] {
  const ofCapture = presentCaptureFragments(capture)
  return fragments
    .map(({ code, kind }, place) => ({
      dataset_id: id,
      code,
      place,
      value: presentFragment(kind, capture.platform, ofCapture, velocity),
    }))
    .filter(({ value }) => value !== undefined)
}
