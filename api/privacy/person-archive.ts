import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import { summarisePerson } from '../../db/privacy/find-person.ts'
import type { Person } from '../../db/privacy/person.ts'
import {
  findCapture,
  findNextSegment,
  findStoredCollection,
  listOpenCollections,
  listStoredDatasets,
  listStoredEvents,
  listStoredHistory,
  listStoredReads,
  listStoredSightings,
  type StoredCollection,
  type StoredOfDataset,
  type StoredRow,
} from '../../db/privacy/stored-of-person.ts'
import { archiveReadme } from './archive-readme.ts'
import type { ArchivedFile } from './write-tar.ts'

const inflate = promisify(gunzip)

/** Inflated bytes of a capture or segment that are archived as JSON; a larger one, or one that is no gzip, is archived as it is stored. */
const MAX_INFLATED_BYTES = 32 * 1024 * 1024

/** Rows of one statement, and of one file. */
const PAGE_DATASETS = 20
const PAGE_ROWS = 1_000

/** Counts what was archived. */
export interface ArchiveCounts {
  datasets: number
  collections: number
}

/** The person whose data is archived. */
export interface ArchiveOf {
  readonly subscriptionId: number
  readonly person: Person
}

/**
 * Yields everything that is stored of a person as files, decrypted: memory holds some 20 datasets without their captures, and one capture or
 * 1,000 rows.
 *
 * @param counts is increased with each dataset and collection.
 * @throws DataKeyError if something cannot be decrypted.
 */
export async function* archivePerson(
  db: Db,
  vault: Vault,
  { subscriptionId, person }: ArchiveOf,
  counts: ArchiveCounts,
): AsyncGenerator<ArchivedFile> {
  yield { name: 'README.txt', content: Buffer.from(archiveReadme()) }
  const summary = await summarisePerson(db, vault, subscriptionId, person)
  yield json('person.json', { kind: person.kind, id: person.id, stored: summary })
  const page = { subscriptionId, person }
  yield* inPages('sightings', (after) => listStoredSightings(db, vault, { ...page, after, limit: PAGE_ROWS }))
  for (let after = 0; ; ) {
    const datasets = await listStoredDatasets(db, vault, { ...page, after, limit: PAGE_DATASETS })
    for (const dataset of datasets) {
      counts.datasets++
      yield* archiveDataset(db, vault, subscriptionId, dataset, folderOf('datasets', counts.datasets))
    }
    const last = datasets.at(-1)
    if (!last || datasets.length < PAGE_DATASETS) break
    after = last.id
  }
  for (let after = 0; ; ) {
    const collections = await listOpenCollections(db, vault, { ...page, after, limit: PAGE_DATASETS })
    for (const collection of collections) {
      counts.collections++
      const folder = folderOf('collections', counts.collections)
      yield* archiveCollection(db, vault, subscriptionId, collection, folder)
    }
    const last = collections.at(-1)
    if (!last || collections.length < PAGE_DATASETS) break
    after = last.id
  }
}

const folderOf = (parent: string, n: number) => `${parent}/${String(n).padStart(6, '0')}`

const json = (name: string, value: unknown): ArchivedFile => ({
  name,
  content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`),
})

async function* archiveDataset(
  db: Db,
  vault: Vault,
  subscriptionId: number,
  { id, members, insight, collectionId }: StoredOfDataset,
  folder: string,
): AsyncGenerator<ArchivedFile> {
  yield json(`${folder}/dataset.json`, members)
  const capture = await findCapture(db, vault, subscriptionId, id)
  if (capture) yield await inflated(`${folder}/capture`, capture)
  if (insight) yield json(`${folder}/insight.json`, insight)
  const page = (after: number) => ({ after, limit: PAGE_ROWS })
  yield* inPages(`${folder}/timeline`, (after) => listStoredEvents(db, subscriptionId, id, page(after)))
  yield* inPages(`${folder}/reads`, (after) => listStoredReads(db, subscriptionId, id, page(after)))
  yield* inPages(`${folder}/earlier-scores`, (after) =>
    listStoredHistory(db, subscriptionId, id, page(after)),
  )
  const collection =
    collectionId === null ? undefined : await findStoredCollection(db, vault, subscriptionId, collectionId)
  if (collection) yield* archiveCollection(db, vault, subscriptionId, collection, folder)
}

async function* archiveCollection(
  db: Db,
  vault: Vault,
  subscriptionId: number,
  collection: StoredCollection,
  folder: string,
): AsyncGenerator<ArchivedFile> {
  yield json(`${folder}/collection.json`, collection.members)
  for (let after = -1; ; ) {
    const segment = await findNextSegment(db, vault, subscriptionId, collection, after)
    if (!segment) return
    yield await inflated(`${folder}/segment-${segment.n}`, segment.body)
    after = segment.n
  }
}

/** The JSON of a gzip, or the bytes as they are. */
async function inflated(name: string, stored: Buffer): Promise<ArchivedFile> {
  try {
    return { name: `${name}.json`, content: await inflate(stored, { maxOutputLength: MAX_INFLATED_BYTES }) }
  } catch {
    return { name: `${name}.bin`, content: stored }
  }
}

/** Yields rows as JSON arrays: one file for each page, the second of which ends with `-2`; none without rows. */
async function* inPages(
  name: string,
  list: (after: number) => Promise<StoredRow[]>,
): AsyncGenerator<ArchivedFile> {
  let after = 0
  for (let n = 1; ; n++) {
    const rows = await list(after)
    const last = rows.at(-1)
    if (!last) return
    yield json(
      n === 1 ? `${name}.json` : `${name}-${n}.json`,
      rows.map(({ row }) => row),
    )
    if (rows.length < PAGE_ROWS) return
    after = last.id
  }
}
