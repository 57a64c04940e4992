import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { deleteDatasets } from './delete-datasets.ts'

/** How long a subscription keeps its datasets, in whole days from their upload; null keeps for ever. */
export interface Retention {
  /** The whole dataset with its insight. */
  readonly days: number | null
  /** The uploaded data alone; the insight stays. */
  readonly blobDays: number | null
}

const KEEPS_ALL: Retention = { days: null, blobDays: null }

export async function findRetention(db: Db, subscriptionId: number): Promise<Retention> {
  const [retention] = await queryRows<Retention>(
    db,
    `select dataset_days as days, blob_days as "blobDays" from retention_policies where subscription_id = ?`,
    [subscriptionId],
  )
  return retention ?? KEEPS_ALL
}

/** Changes how long a subscription keeps its datasets; members that are not given stay as they are. */
export async function changeRetention(
  db: Db,
  subscriptionId: number,
  change: Partial<Retention>,
): Promise<Retention> {
  const { days, blobDays } = change
  const [retention] = await queryRows<Retention>(
    db,
    `insert into retention_policies as p (subscription_id, dataset_days, blob_days) values (?, ?, ?)
     on conflict (subscription_id) do update set
       dataset_days = case when ? then excluded.dataset_days else p.dataset_days end,
       blob_days = case when ? then excluded.blob_days else p.blob_days end
     returning dataset_days as days, blob_days as "blobDays"`,
    [subscriptionId, days ?? null, blobDays ?? null, days !== undefined, blobDays !== undefined],
  )
  if (!retention) throw new Error('insert returned no row')
  return retention
}

/** The subscriptions that do not keep everything for ever. */
export async function listWithRetention(db: Db): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    db,
    `select subscription_id as id from retention_policies
     where dataset_days is not null or blob_days is not null order by subscription_id`,
  )
  return rows.map(({ id }) => id)
}

/** Who the records name. */
const ACTOR = 'retention'

/** Datasets whose data may be waited for while the walk goes on; with more, workers are away, and it waits for them. */
const MAX_POSTPONED = 1_000

interface Policy extends Retention {
  readonly datasetsThrough: number
  readonly blobsThrough: number
  readonly postponed: number[]
}

/**
 * Deletes the next `limit` datasets of a subscription, at most, that are older than it keeps them; processed or not.
 *
 * Safe with several workers: one at a time has the subscription's policy.
 *
 * @returns how many were dealt with; 0 when there is nothing to do, or another worker is at it.
 */
export async function expireDatasets(db: Db, subscriptionId: number, limit: number): Promise<number> {
  return withPolicy(db, subscriptionId, async (trx, { days, datasetsThrough }) => {
    if (days === null) return 0
    const due = await listDue(trx, subscriptionId, { after: datasetsThrough, days, limit })
    const last = due.at(-1)
    if (last === undefined) return 0
    const keys = due.map((id) => ({ subscriptionId, id }))
    const deleted = await deleteDatasets(trx, keys, ACTOR)
    await queryRows(trx, 'update retention_policies set datasets_through = ? where subscription_id = ?', [
      last,
      subscriptionId,
    ])
    if (deleted.length > 0)
      await recordAudit(trx, {
        subscriptionId,
        actor: ACTOR,
        action: 'retention.datasets',
        detail: { datasets: deleted.length, days },
      })
    return due.length
  })
}

/**
 * As `expireDatasets`, but removes the data alone: the insight stays. What waits to be processed keeps its data until it is.
 */
export async function expireBlobs(db: Db, subscriptionId: number, limit: number): Promise<number> {
  return withPolicy(db, subscriptionId, async (trx, { blobDays: days, blobsThrough, postponed }) => {
    if (days === null) return 0
    const due =
      postponed.length < MAX_POSTPONED
        ? await listDue(trx, subscriptionId, { after: blobsThrough, days, limit })
        : []
    const candidates = [...postponed, ...due]
    if (candidates.length === 0) return 0
    const removed = await queryRows<{ id: number }>(
      trx,
      `with removed as (
         update datasets d set blob = null
         from (
           select d.subscription_id, d.id from datasets d
           where d.subscription_id = ? and d.id = any(?::bigint[]) and d.blob is not null and d.ring_at is null
           order by d.id for update
         ) k
         where d.subscription_id = k.subscription_id and d.id = k.id
         returning d.subscription_id, d.id
       ), noted as (
         insert into dataset_events (subscription_id, dataset_id, event, actor)
         select subscription_id, id, 'data_removed', ? from removed
       )
       select id from removed`,
      [subscriptionId, candidates, ACTOR],
    )
    const left = await queryRows<{ id: number }>(
      trx,
      'select id from datasets where subscription_id = ? and id = any(?::bigint[]) and blob is not null',
      [subscriptionId, candidates],
    )
    await queryRows(
      trx,
      'update retention_policies set blobs_through = ?, blobs_postponed = ? where subscription_id = ?',
      [due.at(-1) ?? blobsThrough, left.map(({ id }) => id), subscriptionId],
    )
    if (removed.length > 0)
      await recordAudit(trx, {
        subscriptionId,
        actor: ACTOR,
        action: 'retention.data',
        detail: { datasets: removed.length, days },
      })
    return due.length
  })
}

/** Works on a subscription's retention alone; 0 when another worker does. */
async function withPolicy(
  db: Db,
  subscriptionId: number,
  work: (trx: Db, policy: Policy) => Promise<number>,
): Promise<number> {
  return db.transaction(async (trx) => {
    const [policy] = await queryRows<Policy>(
      trx,
      `select dataset_days as days, blob_days as "blobDays", datasets_through as "datasetsThrough",
              blobs_through as "blobsThrough", to_jsonb(blobs_postponed) as postponed
       from retention_policies where subscription_id = ? for update skip locked`,
      [subscriptionId],
    )
    return policy ? work(trx, policy) : 0
  })
}

/**
 * The datasets after an id, in order and at most `limit`, up to the first that is younger than so many days.
 *
 * Ids rise with time, so that this is a range of the primary key from where the last step ended: no index on time burdens
 * uploads, and what was deleted long ago is not looked at again.
 */
async function listDue(
  trx: Db,
  subscriptionId: number,
  { after, days, limit }: { after: number; days: number; limit: number },
): Promise<number[]> {
  const page = await queryRows<{ id: number; due: boolean }>(
    trx,
    `select id, uploaded_at < now() - make_interval(days => ?) as due from datasets
     where subscription_id = ? and id > ? order by id limit ?`,
    [days, subscriptionId, after, limit],
  )
  const young = page.findIndex(({ due }) => !due)
  return page.slice(0, young === -1 ? undefined : young).map(({ id }) => id)
}
