import type { Actor } from '../audit/actor.ts'
import { ACTOR_COLUMNS, actorValues } from '../audit/actor-columns.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { type Sql, sql } from '../postgres/sql.ts'
import { hashPerson, isOf, type Person, type PersonKind } from './person.ts'

/** A request to export or erase what is stored of a person, who is named by a keyed hash alone. */
export interface PrivacyRequest {
  readonly id: string
  readonly kind: 'export' | 'erase'
  readonly personKind: PersonKind
  /** See `hashPerson`. */
  readonly personHash: string
  readonly state: 'running' | 'finished' | 'failed'
  /** Of a running erasure: whether its next step waits for datasets that are still being processed, or for velocity keys. */
  readonly waiting: boolean
  /** Datasets found at the request; those that are done. */
  readonly total: number
  readonly datasets: number
  /** Collections that were no datasets yet. */
  readonly collections: number
  readonly requestedAt: string
  readonly finishedAt: string | null
  readonly actor: string
  readonly actorKind: Actor['kind']
  readonly actorId: number | null
}

const COLUMNS = sql`id, kind, person_kind as "personKind", encode(person_hash, 'hex') as "personHash", state, waiting, total, datasets,
  collections, ${utcText('requested_at')} as "requestedAt", ${utcText('finished_at')} as "finishedAt",
  actor, actor_kind as "actorKind", actor_id as "actorId"`

/** Requests of one list. */
const MAX_LISTED = 200

/** Lists the newest requests of a subscription, at most 200; only those of a person if one is given. */
export async function listPrivacyRequests(
  db: Db,
  subscriptionId: number,
  personHash?: string,
): Promise<PrivacyRequest[]> {
  const ofPerson = personHash === undefined ? sql`` : sql`and person_hash = decode(${personHash}, 'hex')`
  return queryRows(
    db,
    sql`select ${COLUMNS} from privacy_requests where subscription_id = ${subscriptionId} ${ofPerson}
        order by requested_at desc, id desc limit ${MAX_LISTED}`,
  )
}

export async function findPrivacyRequest(
  db: Db,
  subscriptionId: number,
  id: string,
): Promise<PrivacyRequest | undefined> {
  const [request] = await queryRows<PrivacyRequest>(
    db,
    sql`select ${COLUMNS} from privacy_requests where subscription_id = ${subscriptionId} and id = ${id}::uuid`,
  )
  return request
}

/** A person of a subscription, and who asks about them. */
export interface PersonCall {
  readonly subscriptionId: number
  readonly person: Person
  readonly actor: Actor
}

/** Datasets of a person that are counted; more make a progress less exact. */
const MAX_COUNTED = 1_000_000

const countDatasets = (subscriptionId: number, person: Person): Sql =>
  sql`(select count(*)::int from (
        select from datasets d where d.subscription_id = ${subscriptionId} and ${isOf(person)} limit ${MAX_COUNTED}
      ) counted)`

/**
 * Requests the erasure of everything that was received of a person until now; a worker does it, step by step. A person whose erasure is running
 * gets the same request.
 */
export async function requestErasure(
  db: Db,
  { subscriptionId, person, actor }: PersonCall,
): Promise<PrivacyRequest> {
  const hash = await hashPerson(db, subscriptionId, person)
  return db.transaction(async (trx) => {
    // one request at a time, so that two at once do not begin two erasures
    await queryRows(
      trx,
      sql`select from privacy_secrets where subscription_id = ${subscriptionId} for update`,
    )
    const [running] = await queryRows<PrivacyRequest>(
      trx,
      sql`select ${COLUMNS} from privacy_requests
          where subscription_id = ${subscriptionId} and kind = 'erase' and state = 'running'
            and person_hash = decode(${hash}, 'hex')`,
    )
    // its horizon moves to now: datasets received since it began are erased as well
    const [request] = running
      ? await queryRows<PrivacyRequest>(
          trx,
          sql`update privacy_requests set requested_at = clock_timestamp(), phase = 'datasets',
                horizon = ${newestDataset(subscriptionId)}, total = datasets + ${countDatasets(subscriptionId, person)}
              where subscription_id = ${subscriptionId} and id = ${running.id}::uuid returning ${COLUMNS}`,
        )
      : await queryRows<PrivacyRequest>(
          trx,
          sql`insert into privacy_requests (subscription_id, kind, person_kind, person_hash, identifier, state, phase, horizon, total,
                requested_at, ${ACTOR_COLUMNS})
              values (${subscriptionId}, 'erase', ${person.kind}, decode(${hash}, 'hex'), ${person.id}, 'running', 'datasets',
                ${newestDataset(subscriptionId)}, ${countDatasets(subscriptionId, person)}, clock_timestamp(), ${actorValues(actor)})
              returning ${COLUMNS}`,
        )
    if (!request) throw new Error('insert returned no row')
    await recordAudit(trx, {
      ...{ subscriptionId, actor, action: 'person.erase', subject: hash },
      detail: { request: request.id, kind: person.kind, datasets: request.total },
    })
    return request
  })
}

const newestDataset = (subscriptionId: number): Sql =>
  sql`coalesce((select max(id) from datasets where subscription_id = ${subscriptionId}), 0)`

/** Records that the export of a person's data has begun. */
export async function beginExport(
  db: Db,
  { subscriptionId, person, actor }: PersonCall,
): Promise<PrivacyRequest> {
  const hash = await hashPerson(db, subscriptionId, person)
  return db.transaction(async (trx) => {
    const [request] = await queryRows<PrivacyRequest>(
      trx,
      sql`insert into privacy_requests (subscription_id, kind, person_kind, person_hash, state, total, ${ACTOR_COLUMNS})
          values (${subscriptionId}, 'export', ${person.kind}, decode(${hash}, 'hex'), 'running',
            ${countDatasets(subscriptionId, person)}, ${actorValues(actor)})
          returning ${COLUMNS}`,
    )
    if (!request) throw new Error('insert returned no row')
    await recordAudit(trx, {
      ...{ subscriptionId, actor, action: 'person.export', subject: hash },
      detail: { request: request.id, kind: person.kind, datasets: request.total },
    })
    return request
  })
}

/** Records how an export ended, unless it was recorded. */
export async function endExport(
  db: Db,
  subscriptionId: number,
  id: string,
  { state, datasets, collections }: Pick<PrivacyRequest, 'state' | 'datasets' | 'collections'>,
): Promise<void> {
  await queryRows(
    db,
    sql`update privacy_requests set state = ${state}, datasets = ${datasets}, collections = ${collections}, finished_at = now()
        where subscription_id = ${subscriptionId} and id = ${id}::uuid and state = 'running'`,
  )
}
