import { z } from 'zod'
import { ACTOR_KINDS } from '../../db/audit/actor.ts'
import { AUDIT_OUTCOMES } from '../../db/audit/audit-events.ts'

/** Kind of the caller that a record names. */
export const ActorKind = z.enum(ACTOR_KINDS)

/** Outcome of a security event. */
export const Outcome = z.enum(AUDIT_OUTCOMES)
