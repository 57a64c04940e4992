import { z } from 'zod'
import { ACTOR_KINDS } from '../../db/audit/actor.ts'

/** Kind of the caller that a record names. */
export const ActorKind = z.enum(ACTOR_KINDS)
