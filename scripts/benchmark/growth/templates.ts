import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { deleteDatasets } from '../../../db/datasets/delete-datasets.ts'
import { REKEYED } from '../../../db/encryption/data-keys.ts'
import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import { encodeCapture } from '../../captures/encode-capture.ts'
import type { Load } from '../load/open-load.ts'
import { CONNECTIONS } from '../measure-accept.ts'
import type { System } from '../open-system.ts'
import { readUploadBodies } from '../read-upload-bodies.ts'
import { waitUntil } from './wait-until.ts'

/** The id of the device that very many datasets have. */
export const FREQUENT_DEVICE = '5f2c7c1e-9f5b-4d55-8d1a-0c6f8f7b2a11'

/** Invalid and deleted datasets among the templates. */
const FAULTY = 10

/** Writes the uploads of a file with the frequent device in place of their own, those without a device left out. */
export function writeFrequentUploads(directory: string, file: string): string {
  const lines = readUploadBodies(file).flatMap((body) => {
    const capture = JSON.parse(gunzipSync(Buffer.from(body.data, 'base64')).toString('utf8'))
    if (!capture.device?.id) return []
    const device = { ...capture.device, id: FREQUENT_DEVICE }
    return [JSON.stringify({ ...body, data: encodeCapture({ ...capture, device }) })]
  })
  const written = join(directory, 'uploads-frequent.ndjson')
  writeFileSync(written, `${lines.join('\n')}\n`)
  return written
}

/** The rows that are multiplied: each made by the service itself from a generated capture. */
export interface Templates {
  /** Key of the frequent device in the tables of velocity. */
  readonly frequentKey: Buffer
}

/** Kinds of datasets; the frequent ones are of one device. */
const KINDS = ['ordinary', 'frequent', 'invalid', 'deleted'] as const

/**
 * Uploads captures, processes and reads them, then moves all their rows to tables of the schema `growth`. Afterwards the
 * database has no dataset.
 */
export async function takeTemplates(
  system: System,
  load: Load,
  files: { readonly ordinary: string; readonly frequent: string; readonly count: number },
): Promise<Templates> {
  const { db, port, tenant } = system
  await system.setWorkers(1)
  // otherwise the keys of the counters would be converted while the database is measured
  await waitUntil(
    db,
    sql`select from encryption_progress having count(*) = 2 and every(velocity_through = ${REKEYED})`,
  )
  const upload = (file: string, prefix: string, count: number) =>
    load.run({
      port,
      requests: system.uploads(file, prefix),
      pace: { kind: 'closed', connections: CONNECTIONS, count },
    })
  await upload(files.ordinary, 'ordinary', files.count)
  await upload(files.frequent, 'frequent', Math.ceil(files.count / 4))
  await upload(files.ordinary, 'deleted', FAULTY)
  for (let n = 0; n < FAULTY; n++) await uploadInvalid(system, n)
  await waitUntil(db, sql`select from datasets having count(*) filter (where ring_at is not null) = 0`)
  await load.run({
    port,
    requests: {
      kind: 'get',
      paths: (await listReferences(db)).map((reference) => `/v6.0/datasets/${reference}/datasetinsight`),
      tokens: tenant.tokens.slice(0, 1),
    },
    pace: { kind: 'closed', connections: CONNECTIONS, count: files.count },
  })
  await system.setWorkers(0)
  const deleted = await queryRows<{ subscriptionId: number; id: number }>(
    db,
    sql`select subscription_id as "subscriptionId", id from datasets where starts_with(reference_number, 'deleted-')`,
  )
  await db.transaction((trx) =>
    deleteDatasets(trx, deleted, { kind: 'service', id: null, name: 'benchmark' }),
  )
  return moveTemplates(db)
}

async function uploadInvalid({ port, tenant }: System, n: number): Promise<void> {
  const { status } = await fetch(`http://localhost:${port}/api/datasets/v1/upload`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tenant.uploaderKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      referenceNumber: `invalid-${n}`,
      data: Buffer.from(`not gzip ${n}`).toString('base64'),
    }),
  })
  if (status !== 200) throw new Error(`An upload of data that is not gzip was answered with ${status}`)
}

async function listReferences(db: Db): Promise<string[]> {
  const rows = await queryRows<{ reference: string }>(
    db,
    sql`select reference_number as reference from datasets where status = 'ready' order by id`,
  )
  return rows.map(({ reference }) => reference)
}

/** The tables that are filled. */
export const FILLED_TABLES = [
  ...['datasets', 'insights', 'dataset_events', 'insight_requests'],
  ...['sightings', 'devices', 'clients', 'client_devices'],
]

async function moveTemplates(db: Db): Promise<Templates> {
  const [frequent] = await queryRows<{ key: Buffer }>(
    db,
    sql`select device_key as key from devices order by datasets desc limit 1`,
  )
  if (!frequent) throw new Error('No template has a device')
  await queryRows(db, sql`create schema growth`)
  for (const table of FILLED_TABLES.slice(0, 4)) {
    await queryRows(db, `create table growth.${table} (like public.${table} including storage)`)
    await queryRows(db, `insert into growth.${table} select * from public.${table}`)
  }
  await queryRows(
    db,
    sql`create table growth.templates as
        select id, kind, row_number() over (partition by kind order by id) - 1 as no, count(*) over (partition by kind) as of
        from (
          select id, case when status <> 'ready' then status when starts_with(reference_number, 'frequent-') then 'frequent'
                     else 'ordinary' end as kind
          from growth.datasets
        ) d`,
  )
  await queryRows(
    db,
    sql`analyze growth.datasets, growth.insights, growth.dataset_events, growth.insight_requests, growth.templates`,
  )
  const kinds = await queryRows<{ kind: string }>(db, sql`select distinct kind from growth.templates`)
  if (kinds.length !== KINDS.length) throw new Error(`Templates are of ${kinds.map(({ kind }) => kind)}`)
  await queryRows(db, `truncate ${FILLED_TABLES.join(', ')} cascade`)
  return { frequentKey: frequent.key }
}

/** Checks that the frequent device was counted as often as it was filled and drained. @throws Error otherwise. */
export async function expectFrequent(
  db: Db,
  { frequentKey }: Templates,
  { filled, drained }: { filled: number; drained: number },
): Promise<void> {
  const [counter] = await queryRows<{ datasets: number }>(
    db,
    sql`select datasets from devices where device_key = ${frequentKey}`,
  )
  if (counter?.datasets !== filled + drained)
    throw new Error(`The frequent device was counted ${counter?.datasets} times, not ${filled + drained}`)
}
