import { raw, type Sql, sql } from '../postgres/sql.ts'
import { type Actor, actorText } from './actor.ts'

/** Columns of a record's actor, in the order of `actorValues`. */
export const ACTOR_COLUMNS = raw('actor, actor_kind, actor_id')

/** Values of `ACTOR_COLUMNS`. */
export const actorValues = (actor: Actor): Sql =>
  sql`${actorText(actor)}::text, ${actor.kind}::text, ${actor.id}::bigint`
