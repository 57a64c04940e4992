import type { Db } from '../postgres/database.ts'
import { prepareRows } from '../postgres/prepared-rows.ts'
import { COLLECTION_LIMITS } from './segment.ts'

/** A segment to store; its collection is named by its primary key. */
export interface NewSegment {
  readonly subscriptionId: number
  readonly collectionId: number
  readonly n: number
  /** gzipped JSON. */
  readonly body: Buffer
  /** Bytes of the JSON. */
  readonly bytes: number
  readonly events: number
}

/**
 * The outcome of one segment: `stored` now or before, `closed` if the collection is complete or a dataset, `full` if it has
 * reached one of its limits, `suspended` if its subscription is, or `unknown` if the collection was erased.
 */
export type AppendOutcome = 'stored' | 'closed' | 'full' | 'suspended' | 'unknown'

/**
 * Stores segments in one statement and one commit; it is committed when this resolves. A repeated segment changes nothing.
 *
 * Locks the collections in key order, so that two processes with segments of the same ones wait for each other, not deadlock, and so
 * that no segment is added while a collection is completed.
 *
 * @returns the outcome of each segment, in their order.
 */
export async function appendSegments(db: Db, segments: readonly NewSegment[]): Promise<AppendOutcome[]> {
  const byKey = new Map(segments.map((segment) => [keyOf(segment), segment])) // a repeat in one batch is stored once
  const distinct = [...byKey.values()]
  const outcomes = await appendDistinct(db, distinct)
  const found = new Map(distinct.map((segment, at) => [keyOf(segment), outcomes[at]]))
  return segments.map((segment) => found.get(keyOf(segment)) ?? 'unknown')
}

const keyOf = ({ subscriptionId, collectionId, n }: NewSegment) => `${subscriptionId} ${collectionId} ${n}`

async function appendDistinct(db: Db, segments: readonly NewSegment[]): Promise<AppendOutcome[]> {
  const outcomes = await insertSegments(
    db,
    segments.map(({ subscriptionId, collectionId, n, body, bytes, events }, at) => [
      ...[at, subscriptionId, collectionId, n, body, bytes, events],
    ]),
  )
  return outcomes.map(({ outcome }) => outcome)
}

const insertSegments = prepareRows<{ outcome: AppendOutcome }>(
  ['integer', 'integer', 'bigint', 'integer', 'bytea', 'integer', 'integer'],
  // lateral with a limit: one index probe for each collection. A join read all those of the subscription before Postgres had
  // analysed the table, which took 300 ms for 128 segments
  (rows) => `
    with sent as materialized (
      select * from ${rows} v (at, subscription_id, collection_id, n, body, bytes, events)
    ), locked as materialized (
      select k.*, c.*, (select suspended_at from subscriptions u where u.id = k.subscription_id) as suspended_at
      from (select distinct subscription_id, collection_id from sent order by 1, 2) k
      cross join lateral (
        select completed_at, dataset_id, announced, bytes, events,
               opened_at <= now() - make_interval(hours => ${COLLECTION_LIMITS.hours}) as ended
        from collections where subscription_id = k.subscription_id and id = k.collection_id limit 1 for update
      ) c
    ), judged as materialized (
      select s.at, case
          when l.collection_id is null then 'unknown'
          when s.n < l.announced and l.completed_at is not null then 'stored'
          when exists (
            select from collection_segments g
            where g.subscription_id = s.subscription_id and g.collection_id = s.collection_id and g.n = s.n
          ) then 'stored'
          when l.completed_at is not null or l.dataset_id is not null then 'closed'
          when l.suspended_at is not null then 'suspended'
          when l.ended
            or l.bytes + sum(s.bytes) over own > ${COLLECTION_LIMITS.bytes}
            or l.events + sum(s.events) over own > ${COLLECTION_LIMITS.events} then 'full'
          else 'new'
        end as outcome
      from sent s left join locked l using (subscription_id, collection_id)
      window own as (partition by s.subscription_id, s.collection_id order by s.at)
    ), inserted as (
      insert into collection_segments (subscription_id, collection_id, n, body)
      select s.subscription_id, s.collection_id, s.n, s.body from sent s join judged using (at) where outcome = 'new'
      on conflict do nothing
      returning subscription_id, collection_id, n
    ), counted as (
      update collections c set segments = c.segments + i.segments, bytes = c.bytes + i.bytes, events = c.events + i.events
      from (
        select subscription_id, collection_id, count(*) as segments, sum(bytes) as bytes, sum(events) as events
        from inserted join sent using (subscription_id, collection_id, n)
        group by subscription_id, collection_id
      ) i
      where c.subscription_id = i.subscription_id and c.id = i.collection_id
    )
    select case outcome when 'new' then 'stored' else outcome end as outcome from judged order by at`,
)
