import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'
import { type CollectionKey, unnestCollections } from './collections.ts'
import { type CollectedDataset, insertCollectedDatasets } from './insert-datasets.ts'

/** A collection that its browser ends. */
export interface Completion extends CollectionKey {
  /** Segments that the browser has sent, by its own count: those numbered below must be stored. */
  readonly announced: number
  readonly address: string | null
  readonly sealedAddress?: Buffer | null
  /** Whether a limit is reached, so that it must not become a dataset now. */
  readonly isLimited?: boolean
}

/**
 * The outcome of completing. `completed`, now or before: it is a dataset if it has a reference number. `missing`: the numbers of
 * segments that are not stored, of which at most 1,000 are named. `closed`: it was abandoned before and has become a dataset without
 * some of the segments. `limited`: a limit is reached; the collection stays as it is. `taken`: an upload took its reference number in the instant in which it was opened.
 */
export type CompleteOutcome =
  | {
      readonly outcome: 'completed'
      readonly dataset: Pick<CollectedDataset, 'referenceNumber' | 'uploadDate'> | null
      /** Whether this completed it, not a call before. */
      readonly fresh: boolean
      /** Set if this call has made the dataset: the caller enqueues it. */
      readonly toEnqueue: CollectedDataset | undefined
    }
  | { readonly outcome: 'missing'; readonly missing: readonly number[] }
  | { readonly outcome: 'closed' | 'limited' | 'taken' | 'suspended' | 'unknown' }

/** Numbers of missing segments in one response. */
const MAX_MISSING = 1_000

/** How long after opening the backend can claim a collection. */
export const CLAIM_HOURS = 24

interface State extends CollectionKey {
  readonly referenceNumber: string | null
  readonly suspended: boolean
  /** Completed before. */
  readonly completed: boolean
  readonly isDataset: boolean
  readonly segments: number
  readonly missing: readonly number[]
}

/**
 * Completes collections and turns those with a reference number into datasets, in one commit; it is committed when this resolves.
 * Completing again changes nothing and has the same outcome.
 *
 * @returns the outcome of each, in their order.
 */
export async function completeCollections(
  db: Db,
  completions: readonly Completion[],
): Promise<CompleteOutcome[]> {
  return db.transaction(async (trx) => {
    const states = new Map((await lockStates(trx, completions)).map((state) => [keyOf(state), state]))
    const isNew = (one: Completion) => {
      const state = states.get(keyOf(one))
      return state && isCompletable(state) && !isLimited(one, state)
    }
    const fresh = [...new Map(completions.filter(isNew).map((one) => [keyOf(one), one])).values()]
    const inserted = fresh.length > 0 ? await complete(trx, fresh) : []
    const created = new Map(
      inserted.map((dataset) => [`${dataset.subscriptionId} ${dataset.collectionId}`, dataset]),
    )
    const old = completions.filter((one) => states.get(keyOf(one))?.isDataset)
    const receipts = new Map((await findDatasets(trx, old)).map((row) => [keyOf(row), row]))

    return completions.map((one): CompleteOutcome => {
      const state = states.get(keyOf(one))
      if (!state) return { outcome: 'unknown' }
      const dataset = created.get(keyOf(one)) ?? receipts.get(keyOf(one)) ?? null
      if (state.isDataset && !state.completed && state.segments < one.announced) return { outcome: 'closed' }
      if (state.completed || state.isDataset)
        return { outcome: 'completed', dataset, fresh: false, toEnqueue: undefined }
      if (state.suspended) return { outcome: 'suspended' }
      if (state.missing.length > 0) return { outcome: 'missing', missing: state.missing }
      if (isLimited(one, state)) return { outcome: 'limited' }
      if (state.referenceNumber !== null && !dataset) return { outcome: 'taken' }
      const isFirst = fresh.includes(one)
      return {
        outcome: 'completed',
        dataset,
        fresh: isFirst,
        toEnqueue: isFirst ? created.get(keyOf(one)) : undefined,
      }
    })
  })
}

const isCompletable = ({ suspended, completed, isDataset, missing }: State) =>
  !suspended && !completed && !isDataset && missing.length === 0

/** Without a reference number it becomes no dataset: only its claim is limited. */
const isLimited = (one: Completion, { referenceNumber }: State) =>
  one.isLimited === true && referenceNumber !== null

const keyOf = ({ subscriptionId, id }: CollectionKey) => `${subscriptionId} ${id}`

/** Locks collections until the end of the transaction, in key order, as `appendSegments` does. */
export const lockCollections = (trx: Db, keys: readonly CollectionKey[]): Promise<unknown[]> =>
  queryRows(
    trx,
    sql`select from (select * from ${unnestCollections(keys)} order by subscription_id, id) k
        cross join lateral (
          select from collections where subscription_id = k.subscription_id and id = k.id limit 1 for update
        ) c`,
  )

async function lockStates(trx: Db, completions: readonly Completion[]): Promise<State[]> {
  const rows = valueRows(
    ['integer', 'bigint', 'integer'],
    completions.map(({ subscriptionId, id, announced }) => [subscriptionId, id, announced]),
  )
  const [, states] = await Promise.all([
    lockCollections(trx, completions),
    // a statement of its own: it sees the segments that were committed while the first one waited for its locks
    queryRows<State>(
      trx,
      sql`select c.subscription_id as "subscriptionId", c.id, c.reference_number as "referenceNumber",
                 (select suspended_at from subscriptions u where u.id = c.subscription_id) is not null as suspended,
                 c.completed_at is not null as completed,
                 c.dataset_id is not null as "isDataset", c.segments,
                 case when c.completed_at is null and c.dataset_id is null then array(
                   select needed.n from generate_series(0, greatest(v.announced, 1) - 1) needed (n)
                   where not exists (
                     select from collection_segments g
                     where g.subscription_id = c.subscription_id and g.collection_id = c.id and g.n = needed.n
                   ) order by needed.n limit ${MAX_MISSING}
                 ) else '{}' end as missing
          from (select subscription_id, id, max(announced) as announced
                from (values ${rows}) v (subscription_id, id, announced) group by 1, 2) v
          cross join lateral (
            select * from collections where subscription_id = v.subscription_id and id = v.id limit 1
          ) c`,
    ),
  ])
  return states
}

/** Completes locked collections; those whose reference number an upload has taken stay as they are. */
async function complete(trx: Db, completions: readonly Completion[]): Promise<CollectedDataset[]> {
  const rows = valueRows(
    ['integer', 'bigint', 'integer', 'text', 'bytea'],
    completions.map(({ subscriptionId, id, announced, address, sealedAddress = null }) => [
      ...[subscriptionId, id, announced, address, sealedAddress],
    ]),
  )
  const [, inserted] = await Promise.all([
    queryRows(
      trx,
      sql`update collections c set completed_at = now(), announced = v.announced, completed_address = v.address,
            sealed_completed_address = v.sealed_address,
            due_at = c.opened_at + make_interval(hours => ${CLAIM_HOURS})
          from (values ${rows}) v (subscription_id, id, announced, address, sealed_address)
          where c.subscription_id = v.subscription_id and c.id = v.id`,
    ),
    insertCollectedDatasets(trx, completions),
  ])
  if (inserted.length < completions.length)
    await queryRows(
      trx,
      sql`update collections c set completed_at = null, announced = null, completed_address = null,
            sealed_completed_address = null
          from ${unnestCollections(completions)}
          where c.subscription_id = k.subscription_id and c.id = k.id and c.reference_number is not null
            and c.dataset_id is null`,
    )
  return inserted
}

/** Lists the datasets that collections have become. */
async function findDatasets(
  trx: Db,
  keys: readonly CollectionKey[],
): Promise<(CollectionKey & Pick<CollectedDataset, 'referenceNumber' | 'uploadDate'>)[]> {
  if (keys.length === 0) return []
  return queryRows(
    trx,
    sql`select c.subscription_id as "subscriptionId", c.id, d.reference_number as "referenceNumber",
               ${utcText('d.uploaded_at')} as "uploadDate"
        from ${unnestCollections(keys)}
        join collections c using (subscription_id, id)
        join datasets d on d.subscription_id = c.subscription_id and d.id = c.dataset_id`,
  )
}
