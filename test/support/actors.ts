import type { Actor } from '../../db/audit/actor.ts'

/** An actor that records name by this text alone. */
export const anActor = (name: string): Actor => ({ kind: 'service', id: null, name })
