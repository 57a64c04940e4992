import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSubscription } from '../../../db/accounts/subscriptions.ts'
import { findDatasetRecord } from '../../../db/datasets/dataset-records.ts'
import { deleteDataset } from '../../../db/datasets/delete-datasets.ts'
import { findExplainedInsight } from '../../../db/datasets/insights.ts'
import { receiveDatasets } from '../../../db/datasets/receive-datasets.ts'
import { planSearch } from '../../../db/datasets/search-datasets.ts'
import { scanNext } from '../../../db/datasets/search-plan.ts'
import { migrateDatabase } from '../../../db/migrate-database.ts'
import { type Db, openDatabase } from '../../../db/postgres/database.ts'
import { openBatchContext } from '../../../worker/batches/batch-context.ts'
import { processBatch } from '../../../worker/batches/process-batch.ts'
import { anActor } from '../../support/actors.ts'
import { aCapture } from '../../support/captures.ts'
import { createDatabase, dropDatabase } from '../../support/databases.ts'
import { DISTRIBUTED, listExceptions } from '../../support/statements/distribution.ts'
import { readStatements } from '../../support/statements/read-statements.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'
import { aStoredUpload, gzipJson } from '../../support/workbench.ts'

/** The address of a Citus coordinator of version 12.1 or later, as a superuser. */
const { CITUS_URL } = process.env

describe.skipIf(CITUS_URL === undefined)('on Citus, which needs CITUS_URL', () => {
  const name = `inkling_${randomBytes(6).toString('hex')}`
  let plain: TestDatabase
  let [onPostgres, onCitus]: Db[] = []

  beforeAll(async () => {
    const url = Object.assign(new URL(CITUS_URL ?? ''), { pathname: name }).href
    await createDatabase(CITUS_URL ?? '', name)
    await migrateDatabase({ url, poolMax: 2 })
    onCitus = openDatabase({ url, poolMax: 4 })
    await distribute(onCitus)
    plain = await openTestDatabase()
    onPostgres = openDatabase({ url: plain.ownerUrl, poolMax: 1 })
  }, 120_000)
  afterAll(async () => {
    await onCitus?.destroy()
    await onPostgres?.destroy()
    await plain.drop()
    await dropDatabase(CITUS_URL ?? '', name)
  })

  test('every statement that names one subscription, and that Postgres plans, is planned', async () => {
    const excepted = listExceptions()
    const refused: string[] = []
    let planned = 0
    for (const { path, name: owner, text } of readStatements(['db/']).statements) {
      if (excepted.includes(`${path} ${owner}`)) continue
      let places = 0
      const numbered = text.replaceAll('$1', () => `$${++places}`)
      if ((await explain(onPostgres, numbered)) !== undefined) continue // a form that does not occur
      const fault = await explain(onCitus, numbered)
      if (fault === undefined) planned++
      else refused.push(`${path} ${owner}: ${fault}`)
    }
    expect(refused).toEqual([])
    expect(planned).toBeGreaterThan(300)
  }, 120_000)

  test('a dataset is received, processed, counted, read, found and deleted', async () => {
    const db = onCitus as Db
    const { id: subscriptionId } = await createSubscription(db, 'Lender')
    const upload = () =>
      aStoredUpload(subscriptionId, { blob: gzipJson(aCapture({ device: { id: 'one' } })) })
    const uploads = [upload(), upload()]
    const receipts = await receiveDatasets(db, uploads)
    const keys = receipts.map((receipt) => {
      if (receipt.outcome !== 'received') throw new Error(receipt.outcome)
      return receipt.key
    })
    await processBatch(openBatchContext({ db, log: pino({ level: 'silent' }) }), keys)
    const [first, second] = uploads.map(({ referenceNumber }) => referenceNumber)
    if (first === undefined || second === undefined) throw new Error('Two were uploaded')
    expect(await findExplainedInsight(db, subscriptionId, first)).toBeDefined()
    const record = await findDatasetRecord(db, subscriptionId, second)
    expect(record).toMatchObject({ status: 'ready', velocityNow: { device: { datasets: 2 } } })
    const plan = await planSearch(db, subscriptionId, { deviceId: 'one' })
    const page = await scanNext(db, plan, { after: undefined, rows: 100, limit: 10 })
    expect(page.records.map(({ referenceNumber }) => referenceNumber)).toEqual([second, first])
    expect(await deleteDataset(db, subscriptionId, first, anActor('a test'))).toBe('deleted')
    expect(await findDatasetRecord(db, subscriptionId, first)).toMatchObject({ status: 'deleted' })
  })
})

/** Distributes the tables, without what they refer to on one machine; see docs/scale.md. */
async function distribute(db: Db): Promise<void> {
  await db.raw('create extension citus')
  await db.raw(`
    alter table collections drop constraint collections_subscription_id_site_key_id_fkey;
    alter table datasets drop constraint datasets_subscription_id_fkey;
    alter table collections drop constraint collections_public_id_key, add unique (subscription_id, public_id);
    drop trigger capture_deleted on datasets;
    drop trigger capture_replaced on datasets;
  `)
  const first = ['datasets', 'collections'] // others refer to them
  for (const table of [...first, ...DISTRIBUTED.filter((one) => !first.includes(one))])
    await db.raw('select create_distributed_table(?, ?)', [table, 'subscription_id'])
}

/** Plans a statement without values. @returns the error, if there is one. */
async function explain(db: Db | undefined, text: string): Promise<string | undefined> {
  try {
    await db?.raw(`explain (generic_plan) ${text.replaceAll('?', '\\?')}`)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.split(' - ').at(-1) : String(error)
  }
}
