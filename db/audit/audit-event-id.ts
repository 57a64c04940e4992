import { raw } from '../postgres/sql.ts'

/**
 * The id that an event has outside of the database: of a chain entry `c` with the head `h` of its subscription. It counts the events of the
 * subscription alone, while `audit_events.id` counts those of all. Events from before migration 0026 keep the
 * latter, and later ones continue from the largest.
 */
export const AUDIT_EVENT_ID = raw(
  'case when c.seq > h.ids_after then c.seq + h.id_offset else c.event_id end',
)
