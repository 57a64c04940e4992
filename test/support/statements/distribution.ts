import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import type { Catalog } from './find-faults.ts'
import { UNKNOWN_NAME } from './read-statements.ts'

/**
 * The tables that grow with datasets, which a database of several machines distributes by subscription. All others stay on one machine, with
 * `subscriptions`.
 *
 * @see docs/decisions/0019-statements-name-their-subscription.md
 */
export const DISTRIBUTED = [
  'client_devices',
  'clients',
  'collection_segments',
  'collections',
  'dataset_events',
  'datasets',
  'devices',
  'insight_requests',
  'insights',
  'sightings',
]

/** A batch of datasets, reads or segments of several subscriptions: one round trip and one commit. Would be a statement for each. */
const BATCH = 'batch of several subscriptions'
/** Looks for what waits or is due in any subscription. Would be asked of each machine. */
const ALL = 'work of all subscriptions'
/** Keys of one subscription, which arrive as a list with it: the constant would be added. */
const ONE = 'keys of one subscription'
/** The condition on the subscription is the first one of a list that is put together while the service runs. */
const BUILT = 'names its subscription in a list of conditions'

/** Statements that break the rules, by file and function, with the reason. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'db/collections/append-segments.ts': { insertSegments: BATCH },
  'db/collections/assembly.ts': { listCollected: BATCH, storeAssembled: BATCH },
  'db/collections/close-due.ts': { erase: ALL, lockDue: ALL, postpone: ALL },
  'db/collections/collections.ts': { findCollections: BATCH },
  'db/collections/complete-collections.ts': {
    complete: BATCH,
    findDatasets: BATCH,
    lockCollections: BATCH,
    lockStates: BATCH,
  },
  'db/collections/count-open.ts': { countOpenCollections: ALL },
  'db/collections/insert-datasets.ts': { insertCollectedDatasets: BATCH },
  'db/collections/open-collections.ts': { findReasons: BATCH, insertCollections: BATCH },
  'db/datasets/backlog.ts': { countWaiting: ALL, measureSubscriptionBacklog: ALL },
  'db/datasets/delayed-datasets.ts': { releaseDelayed: ALL },
  'db/datasets/delete-datasets.ts': { deleteDatasets: ONE },
  'db/datasets/insights.ts': {
    listScoredVersions: BATCH,
    listWithOutcome: BATCH,
    recordRequests: BATCH,
    saveInsights: BATCH,
    selectInsights: BATCH,
  },
  'db/datasets/oldest-scan.ts': { findOldest: ALL },
  'db/datasets/outbox.ts': {
    claimDatasets: BATCH,
    claimTimedOut: ALL,
    expireEnqueueTimeouts: ALL,
    listRestorable: BATCH,
    listWaiting: BATCH,
    settleDatasets: BATCH,
  },
  'db/datasets/overdue-scan.ts': { findOverdue: ALL },
  'db/datasets/prune-records.ts': { listWithOldReads: ALL, pruneEvents: ALL },
  'db/datasets/prune-sightings.ts': { pruneSightings: ALL },
  'db/datasets/receive-datasets.ts': { findForRetry: BATCH, insertDatasets: BATCH },
  'db/datasets/requeue-datasets.ts': { listInOutbox: ALL, requeueDatasets: ONE },
  'db/datasets/retention.ts': { listDueRetention: ALL },
  'db/datasets/search-plan.ts': { findOldestUpload: BUILT, scanIndex: BUILT },
  'db/datasets/velocity.ts': {
    addDatasets: BATCH,
    addPairs: BATCH,
    addSightings: BATCH,
    countWindows: BATCH,
  },
  'db/datasets/waiting-of-subscriptions.ts': { countWaitingOf: ALL },
  'db/object-store/orphans.ts': { findOrphans: ALL },
  'db/privacy/delete-subscription.ts': { deleteNext: ALL },
  'db/privacy/erase-datasets.ts': { eraseDatasets: ONE },
}

/** The exceptions as `path function`. */
export const listExceptions = (): string[] =>
  Object.entries(EXCEPTIONS).flatMap(([path, names]) => Object.keys(names).map((name) => `${path} ${name}`))

/** Reads what the rules need from a migrated database. */
export async function readCatalog(db: Db): Promise<Catalog> {
  const columns = await queryRows<{ table: string; names: string[] }>(
    db,
    sql`select table_name as table, json_agg(column_name::text)::jsonb as names from information_schema.columns
        where table_schema = 'public' group by 1`,
  )
  const functions = await queryRows<{ name: string }>(
    db,
    sql`select distinct proname as name from pg_proc where provolatile = 'v'`,
  )
  return {
    columns: new Map(columns.map(({ table, names }) => [table, new Set(names)])),
    volatileFunctions: new Set(functions.map(({ name }) => name)),
    distributed: new Set([...DISTRIBUTED, UNKNOWN_NAME]),
  }
}
