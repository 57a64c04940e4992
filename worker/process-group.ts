import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Capture } from '../db/capture.ts'
import type { Db } from '../db/database.ts'
import { isPassingDatabaseError } from '../db/database-errors.ts'
import type { Features } from '../db/features.ts'
import { type StoredInsight, saveInsights } from '../db/insights.ts'
import type { DatasetKey } from '../db/queue.ts'
import {
  claimDatasets,
  listWaiting,
  type Settlement,
  settleDatasets,
  type WaitingDataset,
} from '../db/waiting-datasets.ts'
import { CaptureError } from './capture-error.ts'
import { computeInsight } from './compute-insight.ts'
import { countVelocity } from './count-velocity.ts'
import { decodeCapture } from './decode-capture.ts'
import type { Deployment, openDeployments } from './deployments.ts'
import { extractCaptureFeatures, extractClaimFeatures } from './features/extract-features.ts'

/** What processing needs of its process. */
export interface GroupContext {
  readonly db: Db
  readonly deployments: ReturnType<typeof openDeployments>
  readonly log: Logger
}

/**
 * Processes a group: afterwards each of its datasets that still waited is ready or invalid, counted once.
 *
 * Pure work first, without a lock, then one transaction for all.
 *
 * @throws what kept a dataset from being settled; it waits on, for the queue's next attempt or the relay. The others
 * of the group are settled all the same.
 */
export async function processGroup(context: GroupContext, keys: readonly DatasetKey[]): Promise<void> {
  const waiting = await listWaiting(context.db, keys)
  if (waiting.length === 0) return

  const prepared: Prepared[] = []
  const failures: unknown[] = []
  for (const dataset of waiting) {
    try {
      prepared.push(prepare(dataset))
    } catch (error) {
      failures.push(error) // our fault, not the data's: it is no reason to call the dataset invalid
    }
    await nextTurn() // locks are renewed and other jobs answered between two decodes
  }
  const deployments = await context.deployments.find([
    ...new Set(waiting.map((dataset) => dataset.subscriptionId)),
  ])
  failures.push(...(await settleOrSplit(context.db, prepared, deployments)))

  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} datasets of a group failed`)
}

/** A dataset with what its blob holds, or why it holds nothing. */
type Prepared = { readonly dataset: WaitingDataset } & (
  | { readonly capture: Capture; readonly features: Features }
  | { readonly invalid: CaptureError }
)

function prepare(dataset: WaitingDataset): Prepared {
  try {
    const capture = decodeCapture(dataset.blob)
    const { uploadedAt, realIp } = dataset
    return {
      dataset,
      capture,
      features: extractCaptureFeatures({ capture, uploadedAt, realIp: realIp ?? undefined }),
    }
  } catch (error) {
    if (error instanceof CaptureError) return { dataset, invalid: error }
    throw error
  }
}

/** Settles a group; one that fails as a whole is split, until the dataset that is to blame stands alone. */
async function settleOrSplit(
  db: Db,
  prepared: readonly Prepared[],
  deployments: Map<number, Deployment>,
): Promise<unknown[]> {
  if (prepared.length === 0) return []
  try {
    await settle(db, prepared, deployments)
    return []
  } catch (error) {
    if (prepared.length === 1 || isPassingDatabaseError(error)) return [error]
    const middle = prepared.length >> 1
    return [
      ...(await settleOrSplit(db, prepared.slice(0, middle), deployments)),
      ...(await settleOrSplit(db, prepared.slice(middle), deployments)),
    ]
  }
}

async function settle(
  db: Db,
  prepared: readonly Prepared[],
  deployments: Map<number, Deployment>,
): Promise<void> {
  const byName = new Map(prepared.map((item) => [nameOf(item.dataset), item]))
  await db.transaction(async (trx) => {
    const claimed = await claimDatasets(
      trx,
      prepared.map((item) => item.dataset),
    )
    const decoded = claimed.flatMap((claim) => {
      const item = byName.get(nameOf(claim))
      return item && 'capture' in item
        ? [{ ...claim, ...item, deviceId: item.capture.device?.id || undefined }]
        : []
    })
    const velocities = await countVelocity(trx, decoded)

    const insights: StoredInsight[] = []
    const settlements: Settlement[] = []
    for (const dataset of decoded) {
      const { subscriptionId, id, capture, additionalInfo } = dataset
      const velocity = velocities.get(dataset)
      const deployment = deployments.get(subscriptionId)
      if (!velocity || !deployment) throw new Error('A claimed dataset was not counted')
      const features = {
        ...dataset.features,
        ...extractClaimFeatures(capture.platform, { velocity, additionalInfo }),
      }
      insights.push({ subscriptionId, id, ...computeInsight(capture, features, velocity, deployment) })
      settlements.push({
        subscriptionId,
        id,
        platform: capture.platform,
        deviceId: dataset.deviceId === undefined ? null : storable(dataset.deviceId),
        velocity,
        invalid: null,
      })
    }
    for (const { subscriptionId, id, velocity } of claimed) {
      const item = byName.get(nameOf({ subscriptionId, id }))
      if (!item || !('invalid' in item)) continue
      const invalid = { code: item.invalid.code, detail: storable(item.invalid.message) }
      settlements.push({ subscriptionId, id, platform: null, deviceId: null, velocity, invalid })
    }
    await saveInsights(trx, insights)
    await settleDatasets(trx, settlements)
  })
}

const nameOf = ({ subscriptionId, id }: DatasetKey) => `${subscriptionId} ${id}`

/** Postgres text holds neither NUL nor halves of surrogate pairs. */
const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD')
