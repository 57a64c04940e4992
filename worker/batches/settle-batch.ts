import { keyText } from '../../db/datasets/dataset-key.ts'
import { type StoredInsight, saveInsights } from '../../db/datasets/insights.ts'
import { claimDatasets, type Settlement, settleDatasets } from '../../db/datasets/outbox.ts'
import type { FirstSettlement } from '../../db/monitoring/pipeline-counter.ts'
import type { Db } from '../../db/postgres/database.ts'
import { isTransientDatabaseError } from '../../db/postgres/database-errors.ts'
import { extractClaimFeatures } from '../features/extract-features.ts'
import { computeInsight, type Scored } from './compute-insight.ts'
import { countVelocity } from './count-velocity.ts'
import type { Deployment, Deployments } from './deployments.ts'
import { keepVersions } from './keep-versions.ts'
import type { Prepared } from './prepare-dataset.ts'

/** How many datasets ended how. Those are in no number that somebody else settled meanwhile. */
interface Settled {
  readonly ready: number
  readonly invalid: number
  /** They wait on. */
  readonly failed: number
  /** What kept them from being settled. */
  readonly failures: readonly unknown[]
}

/** What the datasets are scored by: as of one moment for all of them, so that no two versions mix in a group. */
export interface Deployed {
  readonly deployments: ReadonlyMap<number, Deployment>
  readonly restore: Deployments['restore']
  /** Hears what scorecards said of a dataset, once it is settled; not when it is calculated again. */
  readonly onScored?: ((subscriptionId: number, scored: readonly Scored[]) => void) | undefined
  /** Hears of each dataset that was settled for the first time, once that is committed. */
  readonly onSettled?: ((settled: FirstSettlement) => void) | undefined
}

/**
 * Settles prepared datasets in one transaction; one that fails as a whole is split, until what is to blame stands alone.
 *
 * @param enqueuedAt when their job was added to the queue, if one was.
 */
export async function settleBatch(
  db: Db,
  prepared: readonly Prepared[],
  deployed: Deployed,
  enqueuedAt: Date | undefined,
): Promise<Settled> {
  if (prepared.length === 0) return { ready: 0, invalid: 0, failed: 0, failures: [] }
  try {
    return { ...(await settle(db, prepared, deployed, enqueuedAt)), failed: 0, failures: [] }
  } catch (error) {
    if (prepared.length === 1 || isTransientDatabaseError(error))
      return { ready: 0, invalid: 0, failed: prepared.length, failures: [error] }
    const middle = prepared.length >> 1
    const left = await settleBatch(db, prepared.slice(0, middle), deployed, enqueuedAt)
    const right = await settleBatch(db, prepared.slice(middle), deployed, enqueuedAt)
    return {
      ready: left.ready + right.ready,
      invalid: left.invalid + right.invalid,
      failed: left.failed + right.failed,
      failures: [...left.failures, ...right.failures],
    }
  }
}

async function settle(
  db: Db,
  prepared: readonly Prepared[],
  { deployments, restore, onScored, onSettled }: Deployed,
  enqueuedAt: Date | undefined,
): Promise<Pick<Settled, 'ready' | 'invalid'>> {
  const byName = new Map(prepared.map((item) => [keyText(item), item]))
  const scoredFirst: { subscriptionId: number; scored: readonly Scored[] }[] = []
  let begunAt = 0
  const { claimed, ...settled } = await db.transaction(async (trx) => {
    begunAt = performance.now()
    const claimed = await claimDatasets(trx, prepared)
    const decoded = claimed.flatMap((claim) => {
      const item = byName.get(keyText(claim))
      return item && 'extracted' in item ? [{ ...claim, ...item.extracted, extracted: item.extracted }] : []
    })
    const [velocities, findDeployment] = await Promise.all([
      countVelocity(trx, decoded),
      keepVersions(trx, claimed, deployments, restore),
    ])

    const insights: StoredInsight[] = []
    const settlements: Settlement[] = []
    for (const dataset of decoded) {
      const { subscriptionId, id, ready, platform, deviceId, additionalInfo } = dataset
      const velocity = velocities.get(dataset)
      const deployment = findDeployment(dataset)
      if (!velocity || !deployment) throw new Error('A claimed dataset was not counted')
      const features = {
        ...dataset.features,
        ...extractClaimFeatures(platform, { velocity, additionalInfo }),
      }
      const { scored, ...texts } = computeInsight(dataset.extracted, features, velocity, deployment)
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
    for (const { subscriptionId, id, ready, velocity } of claimed) {
      const item = byName.get(keyText({ subscriptionId, id }))
      if (!item || !('invalid' in item)) continue
      const invalid = { code: item.invalid.code, detail: storable(item.invalid.message) }
      settlements.push({ subscriptionId, id, platform: null, deviceId: null, velocity, invalid, ready })
    }
    await Promise.all([saveInsights(trx, insights), settleDatasets(trx, settlements, enqueuedAt)])
    return { claimed, ready: decoded.length, invalid: settlements.length - decoded.length }
  })
  for (const { subscriptionId, scored } of scoredFirst) onScored?.(subscriptionId, scored)
  const tookMs = performance.now() - begunAt
  for (const { subscriptionId, id, fresh, uploadedAt, waitedMs } of claimed) {
    const item = byName.get(keyText({ subscriptionId, id }))
    if (!fresh || !item) continue
    const invalid = 'invalid' in item ? item.invalid.code : null
    const latencyMs = waitedMs + tookMs
    onSettled?.({ subscriptionId, uploadedAt: Date.parse(uploadedAt), latencyMs, invalid })
  }
  return settled
}

/** Postgres text holds neither NUL nor halves of surrogate pairs. */
const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD')
