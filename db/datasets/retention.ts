import type { Actor } from '../audit/actor.ts'
import { ACTOR_COLUMNS, actorValues } from '../audit/actor-columns.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'
import { deleteDatasets } from './delete-datasets.ts'

/** How long a subscription stores its datasets, in whole days from their upload; null is indefinitely. */
export interface Retention {
  /** The whole dataset with its insight. */
  readonly days: number | null
  /** The uploaded data alone; the insight stays. */
  readonly blobDays: number | null
}

/** Days that captures are stored unless another retention was chosen: two years. The default of the column as well. */
const DEFAULT_BLOB_DAYS = 730

const DEFAULT: Retention = { days: null, blobDays: DEFAULT_BLOB_DAYS }

/** The days of captures, also before they apply. */
const BLOB_DAYS = sql`case when blobs_from is null then blob_days else ${DEFAULT_BLOB_DAYS} end`

export async function findRetention(db: Db, subscriptionId: number): Promise<Retention> {
  const [retention] = await queryRows<Retention>(
    db,
    sql`select dataset_days as days, ${BLOB_DAYS} as "blobDays" from retention_policies
        where subscription_id = ${subscriptionId}`,
  )
  return retention ?? DEFAULT
}

/**
 * When captures begin to be removed, in UTC: the grace of a subscription that was there before the default retention, and has not chosen one.
 * null: there is none.
 */
export async function findGrace(db: Db, subscriptionId: number): Promise<string | null> {
  const [row] = await queryRows<{ at: string | null }>(
    db,
    sql`select ${utcText('blobs_from')} as at from retention_policies where subscription_id = ${subscriptionId}`,
  )
  return row?.at ?? null
}

/**
 * Begins the default retention where its grace is over. A subscription without any, which a process of an earlier version created, gets it
 * with a grace of 30 days.
 */
export async function applyDefaultRetention(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`insert into retention_policies (subscription_id, blob_days, blobs_from)
        select id, null, now() + interval '30 days' from subscriptions s
        where s.deleted_at is null and not exists (select from retention_policies p where p.subscription_id = s.id)
        on conflict do nothing`,
  )
  await queryRows(
    db,
    sql`update retention_policies set blob_days = ${DEFAULT_BLOB_DAYS}, blobs_from = null where blobs_from <= now()`,
  )
}

/**
 * Changes the retention of a subscription; absent members stay as they are.
 *
 * @returns undefined, and nothing was changed, if it would store the datasets of a test mode longer.
 */
export async function changeRetention(
  db: Db,
  subscriptionId: number,
  change: Partial<Retention>,
): Promise<Retention | undefined> {
  const { days, blobDays } = change
  if (days !== undefined && (await lengthensTest(db, subscriptionId, days))) return undefined
  const [retention] = await queryRows<Retention>(
    db,
    sql`insert into retention_policies as p (subscription_id, dataset_days, blob_days)
        values (${subscriptionId}, ${days ?? null}, ${blobDays === undefined ? DEFAULT_BLOB_DAYS : blobDays})
        on conflict (subscription_id) do update set
          blobs_from = case when ${blobDays !== undefined} then null else p.blobs_from end,
          dataset_days = case when ${days !== undefined} then excluded.dataset_days else p.dataset_days end,
          blob_days = case when ${blobDays !== undefined} then excluded.blob_days else p.blob_days end
        returning dataset_days as days, ${BLOB_DAYS} as "blobDays"`,
  )
  if (!retention) throw new Error('insert returned no row')
  return retention
}

/** Whether datasets of a test mode would be stored longer than now. */
async function lengthensTest(db: Db, subscriptionId: number, days: number | null): Promise<boolean> {
  const found = await queryRows(
    db,
    sql`select from subscriptions s join retention_policies p on p.subscription_id = s.id
        where s.id = ${subscriptionId} and s.test_of is not null
          and p.dataset_days < coalesce(${days}::integer, p.dataset_days + 1)`,
  )
  return found.length > 0
}

/** A subscription with something to remove. */
export interface DueRetention {
  readonly subscriptionId: number
  /** Whether whole datasets are past their retention. */
  readonly datasets: boolean
  /** Whether data is, or waits to be removed until its dataset is processed. */
  readonly blobs: boolean
}

/** Whether the first dataset after an id is older than so many days, as a part of a statement on `retention_policies p`: one row is read. */
const firstIsDue = (through: Sql, days: Sql): Sql => sql`coalesce((
  select d.uploaded_at < now() - make_interval(days => ${days}) from datasets d
  where d.subscription_id = p.subscription_id and d.id > ${through} order by d.id limit 1
), false)`

/** Lists the subscriptions with datasets or data past their retention: one probe of each, however many datasets there are. */
export async function listDueRetention(db: Db): Promise<DueRetention[]> {
  return queryRows(
    db,
    sql`select * from (
          select p.subscription_id as "subscriptionId",
            case when p.dataset_days is null then false
              else ${firstIsDue(raw('p.datasets_through'), raw('p.dataset_days'))} end as datasets,
            case when p.blob_days is null then false when p.blobs_postponed <> '{}' then true
              else ${firstIsDue(raw('p.blobs_through'), raw('p.blob_days'))} end as blobs
          from retention_policies p offset 0
        ) due
        where datasets or blobs order by "subscriptionId"`,
  )
}

/** The actor in audit log and timelines. */
const ACTOR: Actor = { kind: 'service', id: null, name: 'retention' }

/**
 * Datasets whose data may wait for processing while later ones expire. More than these mean that no worker runs; then expiry
 * waits too.
 */
const MAX_POSTPONED = 1_000

interface Policy extends Retention {
  readonly datasetsThrough: number
  readonly blobsThrough: number
  readonly postponed: number[]
}

/**
 * Deletes up to `limit` datasets of a subscription that are past their retention, processed or not.
 *
 * Safe with several workers: one at a time locks the subscription's policy.
 *
 * @returns how many it read; 0 if none is due, or another worker holds the policy.
 */
export async function expireDatasets(db: Db, subscriptionId: number, limit: number): Promise<number> {
  return withPolicy(db, subscriptionId, async (trx, { days, datasetsThrough }) => {
    if (days === null) return 0
    const due = await listDue(trx, subscriptionId, { after: datasetsThrough, days, limit })
    const last = due.at(-1)
    if (last === undefined) return 0
    const keys = due.map((id) => ({ subscriptionId, id }))
    const deleted = await deleteDatasets(trx, keys, ACTOR)
    await queryRows(
      trx,
      sql`update retention_policies set datasets_through = ${last} where subscription_id = ${subscriptionId}`,
    )
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
 * As `expireDatasets`, but removes the data alone: the insight stays. A dataset that waits to be processed keeps its data until
 * it is settled.
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
      sql`with removed as (
            update datasets d set blob = null
            from (
              select d.subscription_id, d.id from datasets d
              where d.subscription_id = ${subscriptionId} and d.id = any(${candidates}::bigint[])
                and d.blob is not null and d.ring_at is null
              order by d.id for update
            ) k
            where d.subscription_id = k.subscription_id and d.id = k.id
            returning d.subscription_id, d.id
          ), recorded as (
            insert into dataset_events (subscription_id, dataset_id, event, ${ACTOR_COLUMNS})
            select subscription_id, id, 'data_removed', ${actorValues(ACTOR)} from removed
          )
          select id from removed`,
    )
    const left = await queryRows<{ id: number }>(
      trx,
      sql`select id from datasets
          where subscription_id = ${subscriptionId} and id = any(${candidates}::bigint[]) and blob is not null`,
    )
    await queryRows(
      trx,
      sql`update retention_policies
          set blobs_through = ${due.at(-1) ?? blobsThrough}, blobs_postponed = ${left.map(({ id }) => id)}
          where subscription_id = ${subscriptionId}`,
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

/** Runs `work` with the subscription's policy locked; 0 if another worker holds it. */
async function withPolicy(
  db: Db,
  subscriptionId: number,
  work: (trx: Db, policy: Policy) => Promise<number>,
): Promise<number> {
  return db.transaction(async (trx) => {
    const [policy] = await queryRows<Policy>(
      trx,
      sql`select dataset_days as days, blob_days as "blobDays", datasets_through as "datasetsThrough",
                 blobs_through as "blobsThrough", to_jsonb(blobs_postponed) as postponed
          from retention_policies where subscription_id = ${subscriptionId} for update skip locked`,
    )
    return policy ? work(trx, policy) : 0
  })
}

/**
 * Lists the datasets after an id, in order and at most `limit`, up to the first that is younger than so many days.
 *
 * Ids rise with time, so this is a range of the primary key from the end of the last step: uploads maintain no index on time, and
 * datasets deleted long ago are not read again.
 */
async function listDue(
  trx: Db,
  subscriptionId: number,
  { after, days, limit }: { after: number; days: number; limit: number },
): Promise<number[]> {
  const page = await queryRows<{ id: number; due: boolean }>(
    trx,
    sql`select id, uploaded_at < now() - make_interval(days => ${days}) as due from datasets
        where subscription_id = ${subscriptionId} and id > ${after} order by id limit ${limit}`,
  )
  const young = page.findIndex(({ due }) => !due)
  return page.slice(0, young === -1 ? undefined : young).map(({ id }) => id)
}
