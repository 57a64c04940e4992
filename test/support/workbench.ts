import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { createSubscription } from '../../db/accounts/subscriptions.ts'
import type { Velocity } from '../../db/capture/velocity-counts.ts'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import type { AdditionalInfo, DatasetStatus } from '../../db/datasets/datasets.ts'
import { type ExplainedInsight, findExplainedInsight } from '../../db/datasets/insights.ts'
import { receiveDatasets, type Upload } from '../../db/datasets/receive-datasets.ts'
import { type Db, openDatabase, queryRows } from '../../db/postgres/database.ts'
import { type BatchContext, openBatchContext } from '../../worker/batches/batch-context.ts'
import { processBatch } from '../../worker/batches/process-batch.ts'
import { aCapture } from './captures.ts'
import { openTestDatabase } from './stores.ts'

/** A dataset row. */
export interface StoredDataset extends DatasetKey {
  readonly referenceNumber: string
  readonly status: DatasetStatus
  readonly deviceId: string | null
  readonly velocity: Velocity | null
  readonly waiting: boolean
  readonly rings: number
  readonly invalidCode: string | null
  readonly invalidDetail: string | null
}

/** Members of a dataset to be received; the others are generated. */
export interface DatasetMembers {
  readonly subscriptionId?: number
  readonly capture?: object
  /** Instead of `capture`. */
  readonly blob?: Buffer
  readonly additionalInfo?: AdditionalInfo
  /** Any time that Postgres can parse. */
  readonly uploadedAt?: string
}

/** The tables and the processor without a queue: tests deliver batches themselves. */
export interface Workbench {
  readonly url: string
  /** As the role of web and worker. */
  readonly db: Db
  /** As the role that owns the tables, for tests that change them. */
  readonly owner: Db
  readonly context: BatchContext
  readonly subscriptionId: number
  openSubscription(): Promise<number>
  receive(...datasets: readonly DatasetMembers[]): Promise<DatasetKey[]>
  process(keys: readonly DatasetKey[]): Promise<void>
  /** In the order of the keys. */
  list(keys: readonly DatasetKey[]): Promise<StoredDataset[]>
  find(key: DatasetKey): Promise<StoredDataset>
  findInsight(key: DatasetKey): Promise<ExplainedInsight | undefined>
  close(): Promise<void>
}

let uploads = 0

export const gzipJson = (value: unknown): Buffer => gzipSync(JSON.stringify(value), { level: 1 })

/** Returns an upload for `receiveDatasets`. Its reference number is unique, and sorts in the order of creation. */
export function aStoredUpload(subscriptionId: number, members: Partial<Upload> = {}): Upload {
  const blob = members.blob ?? gzipJson(aCapture())
  return {
    subscriptionId,
    referenceNumber: `WB-${String(++uploads).padStart(9, '0')}`,
    dataHash: createHash('sha256').update(blob).digest(),
    blob,
    realIp: '203.0.113.7',
    additionalInfo: {},
    ...members,
  }
}

export async function openWorkbench(): Promise<Workbench> {
  const stored = await openTestDatabase()
  const db = openDatabase({ url: stored.url, poolMax: 16 })
  const owner = openDatabase({ url: stored.ownerUrl, poolMax: 2 })
  const context = openBatchContext({ db, log: pino({ level: 'silent' }) })
  const openSubscription = async () => (await createSubscription(db, `Lender ${++uploads}`)).id
  const subscriptionId = await openSubscription()

  async function list(keys: readonly DatasetKey[]): Promise<StoredDataset[]> {
    return queryRows(
      db,
      `select d.subscription_id as "subscriptionId", d.id, d.reference_number as "referenceNumber", d.status,
              d.device_id as "deviceId", d.velocity, d.ring_at is not null as waiting, d.rings,
              d.invalid_code as "invalidCode", d.invalid_detail as "invalidDetail"
       from unnest(?::integer[], ?::bigint[]) with ordinality k (subscription_id, id, n)
       join datasets d using (subscription_id, id) order by k.n`,
      [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
    )
  }

  async function find(key: DatasetKey): Promise<StoredDataset> {
    const [dataset] = await list([key])
    if (!dataset) throw new Error(`There is no dataset ${key.id}`)
    return dataset
  }

  return {
    url: stored.url,
    db,
    owner,
    context,
    subscriptionId,
    openSubscription,
    list,
    find,
    process: (keys) => processBatch(context, keys),
    async receive(...datasets) {
      const receipts = await receiveDatasets(
        db,
        datasets.map(({ capture, blob = gzipJson(capture ?? aCapture()), additionalInfo = {}, ...members }) =>
          aStoredUpload(members.subscriptionId ?? subscriptionId, { blob, additionalInfo }),
        ),
      )
      const keys = receipts.map((receipt) => {
        if (receipt.outcome !== 'received') throw new Error(`The dataset is ${receipt.outcome}`)
        return { subscriptionId: receipt.key.subscriptionId, id: receipt.key.id }
      })
      for (const [at, { uploadedAt }] of datasets.entries())
        if (uploadedAt !== undefined)
          await db.raw('update datasets set uploaded_at = ? where id = ?', [uploadedAt, keys[at]?.id ?? null])
      return keys
    },
    async findInsight(key) {
      return findExplainedInsight(db, key.subscriptionId, (await find(key)).referenceNumber)
    },
    async close() {
      await Promise.all([db.destroy(), owner.destroy()])
      await stored.drop()
    },
  }
}
