import type { Actor } from '../audit/actor.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { DatasetStatus } from './datasets.ts'

/** The events of a dataset. Published: never renamed. */
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
  /** The user or client that did or requested it; null for the service itself. */
  readonly actor: string | null
  /** null for the service itself, and in records of earlier versions. */
  readonly actorKind: Actor['kind'] | null
  /** Id of the user or key. */
  readonly actorId: number | null
  /** `invalid`: code and detail; `info_saved`: the keys; `read`: the address. */
  readonly detail: Readonly<Record<string, unknown>> | null
}

/** The history of a dataset. */
export interface Timeline {
  readonly referenceNumber: string
  readonly status: DatasetStatus
  /** Set while it waits to be processed: how often the relay enqueued it again, and when it will next. */
  readonly waiting: { readonly rings: number; readonly ringAt: string } | null
  /** Oldest first. */
  readonly events: readonly TimelineEvent[]
  /** Whether there are older events, or reads, than those listed. */
  readonly truncated: boolean
}

/** Limits of stored events and of reads, the newest of each; one processing makes three events. */
const MAX_ENTRIES = 300
const MAX_READS = 300

/**
 * Returns the timeline of the dataset with this reference number, also of a deleted one; undefined if there is none.
 *
 * `rung` is the time of enqueueing by the clock of the process that did it, to the millisecond, but never before `received` or
 * after `claimed`; all other times are by the clock of Postgres.
 */
export async function findTimeline(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<Timeline | undefined> {
  const [row] = await queryRows<Omit<Timeline, 'truncated'> & { entries: number; reads: number }>(
    db,
    sql`with d as (
       select * from datasets where subscription_id = ${subscriptionId} and reference_number = ${referenceNumber}
     ), entries as (
       select e.* from d join dataset_events e on e.subscription_id = d.subscription_id and e.dataset_id = d.id
       order by e.id desc limit ${MAX_ENTRIES + 1}
     ), reads as (
       select r.* from d join insight_requests r on r.subscription_id = d.subscription_id and r.dataset_id = d.id
       order by r.id desc limit ${MAX_READS + 1}
     ), newest as (
       select * from entries order by id desc limit ${MAX_ENTRIES}
     ), events as (
       select uploaded_at as at, 0 as step, 'received' as event, null as actor, null as actor_kind,
              null::bigint as actor_id, null::jsonb as detail from d
       union all select least(greatest(e.rung_at, d.uploaded_at), e.claimed_at), 1, 'rung', null, null, null, null
         from newest e, d where e.rung_at is not null
       union all select claimed_at, 2, 'claimed', null, null, null, null
         from newest where claimed_at is not null
       union all select at, 3, event, actor, actor_kind, actor_id, detail from newest
       union all (select requested_at, 4, 'read', requestor, requestor_kind, requestor_id, jsonb_build_object('address', address)
         from reads order by id desc limit ${MAX_READS})
     )
     select reference_number as "referenceNumber", status,
            case when ring_at is not null
                 then jsonb_build_object('rings', rings, 'ringAt', ${utcText('ring_at')}) end as waiting,
            (select jsonb_agg(jsonb_build_object('at', ${utcText('at')}, 'event', event, 'actor', actor, 'actorKind', actor_kind,
                                                'actorId', actor_id, 'detail', detail)
                              order by at, step) from events) as events,
            (select count(*)::int from entries) as entries, (select count(*)::int from reads) as reads
     from d`,
  )
  if (!row) return undefined
  const { entries, reads, ...timeline } = row
  return { ...timeline, truncated: entries > MAX_ENTRIES || reads > MAX_READS }
}
