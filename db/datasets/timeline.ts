import { type Db, queryRows, sixDigits } from '../postgres/database.ts'
import type { DatasetStatus } from './datasets.ts'

/** What can happen to a dataset. */
export const TIMELINE_EVENTS = [
  'received',
  'rung',
  'claimed',
  'ready',
  'invalid',
  'recalculated',
  'info_saved',
  'reprocess_requested',
  'read',
  'data_removed',
  'deleted',
] as const

export interface TimelineEvent {
  /** UTC, six fractional digits. */
  readonly at: string
  readonly event: (typeof TIMELINE_EVENTS)[number]
  /** Who did or asked for it; null for what the service did by itself. */
  readonly actor: string | null
  /** Of `invalid` its code and detail, of `info_saved` the keys, of `read` the address. */
  readonly detail: Readonly<Record<string, unknown>> | null
}

/** What happened to a dataset, when. */
export interface Timeline {
  readonly referenceNumber: string
  readonly status: DatasetStatus
  /** Set while it waits to be processed: how often the relay rang again, and when it will next. */
  readonly waiting: { readonly rings: number; readonly ringAt: string } | null
  /** Oldest first. */
  readonly events: readonly TimelineEvent[]
  /** There are older events, or reads, than the newest that are listed. */
  readonly truncated: boolean
}

/** Newest entries of what was done with a dataset, and newest reads of it; a processing is three events. */
const MAX_ENTRIES = 300
const MAX_READS = 300

/**
 * The timeline of the dataset with this reference number, also of a deleted one; undefined when there is none.
 *
 * `rung` is by the clock of the process that rang, to the millisecond, but after `received` and before `claimed`; all else is by
 * the clock of Postgres.
 */
export async function findTimeline(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<Timeline | undefined> {
  const [row] = await queryRows<Omit<Timeline, 'truncated'> & { entries: number; reads: number }>(
    db,
    `with d as (
       select * from datasets where subscription_id = ? and reference_number = ?
     ), entries as (
       select e.* from d join dataset_events e on e.subscription_id = d.subscription_id and e.dataset_id = d.id
       order by e.id desc limit ${MAX_ENTRIES + 1}
     ), reads as (
       select r.* from d join insight_requests r on r.subscription_id = d.subscription_id and r.dataset_id = d.id
       order by r.id desc limit ${MAX_READS + 1}
     ), newest as (
       select * from entries order by id desc limit ${MAX_ENTRIES}
     ), events as (
       select uploaded_at as at, 0 as step, 'received' as event, null as actor, null::jsonb as detail from d
       union all select least(greatest(e.rung_at, d.uploaded_at), e.claimed_at), 1, 'rung', null, null
         from newest e, d where e.rung_at is not null
       union all select claimed_at, 2, 'claimed', null, null
         from newest where claimed_at is not null
       union all select at, 3, event, actor, detail from newest
       union all (select requested_at, 4, 'read', requestor, jsonb_build_object('address', address)
         from reads order by id desc limit ${MAX_READS})
     )
     select reference_number as "referenceNumber", status,
            case when ring_at is not null
                 then jsonb_build_object('rings', rings, 'ringAt', ${sixDigits('ring_at')}) end as waiting,
            (select jsonb_agg(jsonb_build_object('at', ${sixDigits('at')}, 'event', event, 'actor', actor, 'detail', detail)
                              order by at, step) from events) as events,
            (select count(*)::int from entries) as entries, (select count(*)::int from reads) as reads
     from d`,
    [subscriptionId, referenceNumber],
  )
  if (!row) return undefined
  const { entries, reads, ...timeline } = row
  return { ...timeline, truncated: entries > MAX_ENTRIES || reads > MAX_READS }
}
