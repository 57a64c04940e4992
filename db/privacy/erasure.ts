import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import type { Vault } from '../encryption/vault.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { eraseDatasets } from './erase-datasets.ts'
import { eraseCounter, eraseOwnCounter } from './erase-velocity.ts'
import type { Erasure, ErasureKey, StepOutcome } from './erasure-step.ts'
import { identifierOf, isCollectionOf, isOf, otherKind, type Person } from './person.ts'

/** The actor in the audit log. */
const ACTOR: Actor = { kind: 'service', id: null, name: 'erasure' }

/** Datasets, with their timelines, and collections, with their segments, of one step. */
const STEP_DATASETS = 50
const STEP_COLLECTIONS = 20

/** Lists the running erasures, longest requested first. */
export async function listErasures(db: Db, limit: number): Promise<ErasureKey[]> {
  return queryRows(
    db,
    sql`select subscription_id as "subscriptionId", id from privacy_requests
        where kind = 'erase' and state = 'running' order by requested_at limit ${limit}`,
  )
}

/**
 * Does the next step of an erasure in one short transaction: a killed worker leaves it to the next one, which finds it undone.
 *
 * 1. Datasets and collections that were received before the request: those of a device once they are processed, since their captures name it.
 * 2. The pairs with each identifier of the other kind that these named, and counters that belong to nobody else.
 * 3. Other pairs, the sightings and the counter of the identifier itself.
 *
 * Safe with several workers: one at a time locks the request.
 *
 * @returns `waits` also if another worker has it, or it was finished before.
 * @throws DataKeyError if the keys of velocity cannot be decrypted.
 */
export async function eraseNext(
  db: Db,
  vault: Vault,
  { subscriptionId, id }: ErasureKey,
): Promise<StepOutcome> {
  await vault.findKeys(subscriptionId) // cached before a row is locked
  return db.transaction(async (trx) => {
    const [row] = await queryRows<Omit<Erasure, 'person'> & { kind: Person['kind']; identifier: string }>(
      trx,
      sql`select subscription_id as "subscriptionId", id, person_kind as kind, identifier, requested_at::text as "requestedAt", horizon,
                 phase, encode(person_hash, 'hex') as hash
          from privacy_requests
          where subscription_id = ${subscriptionId} and id = ${id}::uuid and kind = 'erase' and state = 'running'
          for update skip locked`,
    )
    if (!row) return 'waits'
    const { kind, identifier, ...rest } = row
    const erasure: Erasure = { ...rest, person: { kind, id: identifier } }
    const outcome = await PHASES[erasure.phase](trx, erasure, vault)
    if (outcome !== 'done') {
      await note(trx, erasure, { waits: outcome === 'waits' })
      return outcome
    }
    const next = NEXT[erasure.phase]
    if (next) {
      await note(trx, erasure, { phase: next })
      return 'more'
    }
    if (await isStillStored(trx, subscriptionId)) {
      await note(trx, erasure, { waits: true })
      return 'waits'
    }
    await finish(trx, erasure)
    return 'done'
  })
}

const NEXT = { datasets: 'counters', counters: 'own', own: undefined } as const

const PHASES: Record<Erasure['phase'], (trx: Db, erasure: Erasure, vault: Vault) => Promise<StepOutcome>> = {
  datasets: eraseStored,
  counters: eraseCounter,
  own: eraseOwnCounter,
}

async function note(
  trx: Db,
  { subscriptionId, id, phase: before }: Erasure,
  { phase = before, waits = false }: { phase?: Erasure['phase']; waits?: boolean },
): Promise<void> {
  await queryRows(
    trx,
    sql`update privacy_requests set phase = ${phase}, waiting = ${waits}
        where subscription_id = ${subscriptionId} and id = ${id}::uuid`,
  )
}

/** What was received before the request; a collection may have become a dataset since. */
const isCovered = ({ horizon, requestedAt }: Erasure) =>
  sql`(d.id <= ${horizon} or exists (
        select from collections o where o.subscription_id = d.subscription_id and o.id = d.collection_id
          and o.opened_at <= ${requestedAt}::timestamptz
      ))`

async function eraseStored(trx: Db, erasure: Erasure): Promise<StepOutcome> {
  const { subscriptionId, id, person, requestedAt } = erasure
  const collections = await queryRows<{ other: string | null }>(
    trx,
    sql`delete from collections c using (
          select d.subscription_id, d.id from collections d
          where d.subscription_id = ${subscriptionId} and d.dataset_id is null and ${isCollectionOf(person)}
            and d.opened_at <= ${requestedAt}::timestamptz
          order by d.id limit ${STEP_COLLECTIONS} for update
        ) d
        where c.subscription_id = d.subscription_id and c.id = d.id and c.dataset_id is null returning 1`,
  )
  // asked before the datasets are listed: one that is settled in between is listed
  const processing = person.kind === 'device' && (await isProcessing(trx, erasure))
  const other = otherKind(person.kind)
  const datasets = await queryRows<{ id: number; other: string | null }>(
    trx,
    sql`select d.id, ${identifierOf(other)} as other from datasets d
        where d.subscription_id = ${subscriptionId} and ${isOf(person)} and ${isCovered(erasure)}
        order by (-d.id) desc limit ${STEP_DATASETS} for update of d`,
  )
  if (datasets.length > 0) {
    const others = [...new Set(datasets.map((dataset) => dataset.other || null))].filter(
      (one) => one !== null,
    )
    await queryRows(
      trx,
      sql`insert into erasure_counters (subscription_id, request_id, hash, identifier)
          select ${subscriptionId}, ${id}::uuid, sha256(convert_to(other, 'UTF8')), other from unnest(${others}::text[]) other
          on conflict do nothing`,
    )
    await eraseDatasets(
      trx,
      datasets.map((dataset) => ({ subscriptionId, id: dataset.id })),
      ACTOR,
    )
  }
  await queryRows(
    trx,
    sql`update privacy_requests set datasets = datasets + ${datasets.length}, collections = collections + ${collections.length}
        where subscription_id = ${subscriptionId} and id = ${id}::uuid`,
  )
  if (datasets.length > 0 || collections.length > 0) return 'more'
  return processing ? 'waits' : 'done'
}

/** Whether object storage may still have the capture of a dataset that was erased. */
async function isStillStored(trx: Db, subscriptionId: number): Promise<boolean> {
  const found = await queryRows(
    trx,
    sql`select from capture_removals r join datasets d on d.subscription_id = r.subscription_id and d.id = r.dataset_id
        where r.subscription_id = ${subscriptionId} and d.status = 'deleted' and d.reference_number like 'erased-%' limit 1`,
  )
  return found.length > 0
}

/** Whether a covered dataset is not processed yet: only then it is known which device its capture names. */
async function isProcessing(trx: Db, erasure: Erasure): Promise<boolean> {
  const found = await queryRows(
    trx,
    sql`select from datasets d
        where d.subscription_id = ${erasure.subscriptionId} and d.status = 'received' and ${isCovered(erasure)} limit 1`,
  )
  return found.length > 0
}

async function finish(trx: Db, { subscriptionId, id, hash, person }: Erasure): Promise<void> {
  const [done] = await queryRows<{ datasets: number; collections: number }>(
    trx,
    sql`update privacy_requests set state = 'finished', phase = null, waiting = false, identifier = null, finished_at = now(),
          total = datasets
        where subscription_id = ${subscriptionId} and id = ${id}::uuid returning datasets, collections`,
  )
  await queryRows(
    trx,
    sql`delete from erasure_counters where subscription_id = ${subscriptionId} and request_id = ${id}::uuid`,
  )
  await recordAudit(trx, {
    ...{ subscriptionId, actor: ACTOR, action: 'person.erased', subject: hash },
    detail: { request: id, kind: person.kind, ...done },
  })
}
