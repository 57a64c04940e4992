import type { Actor } from '../audit/actor.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { StageError } from './scorecard-stages.ts'

/**
 * Rejects a promotion by the author of the version, where the policy of the subscription requires four eyes. Versions of earlier
 * releases have no author, and everybody may promote them.
 *
 * @throws StageError
 */
export async function requireSecondPerson(
  trx: Db,
  { subscriptionId, version, actor }: { subscriptionId: number; version: string; actor: Actor },
): Promise<void> {
  const [found] = await queryRows(
    trx,
    sql`select from subscriptions s join scorecard_versions v on v.subscription_id = s.id
        where s.id = ${subscriptionId} and s.four_eyes and v.version = ${version}
          and v.author_kind = ${actor.kind} and (v.author_id = ${actor.id}::integer or v.author_name = ${actor.name})`,
  )
  if (found)
    throw new StageError(
      'You saved this version, and your subscription requires that another person promotes it (four eyes)',
    )
}
