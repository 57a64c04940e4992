import { SEALED_NAME } from '../datasets/datasets.ts'
import { hashIdentifier, storedKey } from '../datasets/velocity-keys.ts'
import { openAddress, openInfo, type SealedAddress, type SealedInfo } from '../encryption/personal-data.ts'
import type { Vault } from '../encryption/vault.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { type Sql, sql } from '../postgres/sql.ts'
import { isCollectionOf, isOf, type Person } from './person.ts'

/** A page of rows: those after `after` in the order of their ids, at most `limit`. */
interface Page {
  readonly after: number
  readonly limit: number
}

/** A dataset with everything that is stored with it, except its capture, timeline and earlier scores. */
export interface StoredOfDataset {
  readonly id: number
  readonly collectionId: number | null
  /** Members as they are stored, with Additional Info and address as they were sent. */
  readonly members: Readonly<Record<string, unknown>>
  /** Scores with reasons, fragments, features; null if there is none. */
  readonly insight: Readonly<Record<string, unknown>> | null
}

/** Lists datasets of a person, oldest first. @throws DataKeyError if their Additional Info cannot be decrypted. */
export async function listStoredDatasets(
  db: Db,
  vault: Vault,
  { subscriptionId, person, after, limit }: Page & { subscriptionId: number; person: Person },
): Promise<StoredOfDataset[]> {
  const rows = await queryRows<
    Omit<StoredOfDataset, 'insight'> & SealedInfo & SealedAddress & { insight: string | null; name: string }
  >(
    db,
    sql`select d.id, d.collection_id as "collectionId",
               d.additional_info as "additionalInfo", d.sealed_info as "sealedInfo",
               d.real_ip as address, d.sealed_ip as "sealedAddress", ${SEALED_NAME} as name,
               jsonb_build_object(
                 'referenceNumber', d.reference_number, 'status', d.status, 'platform', d.platform,
                 'uploadedAt', ${utcText('d.uploaded_at')}, 'settledAt', ${utcText('d.settled_at')},
                 'waiting', d.ring_at is not null, 'deviceId', d.device_id, 'velocity', d.velocity,
                 'invalidCode', d.invalid_code, 'invalidDetail', d.invalid_detail,
                 'captureStored', d.blob is not null) as members,
               (select json_build_object(
                  'calculatedAt', ${utcText('i.calculated_at')}, 'scores', i.scores, 'explanations', i.explanations,
                  'challengerExplanations', i.shadow, 'fragments', i.fragments, 'features', i.features)
                from insights i where i.subscription_id = d.subscription_id and i.dataset_id = d.id) as insight
        from datasets d
        where d.subscription_id = ${subscriptionId} and ${isOf(person)} and (-d.id) < ${-after}
        order by (-d.id) desc limit ${limit}`,
  )
  return Promise.all(
    rows.map(async ({ id, collectionId, members, insight, name, ...sealed }) => {
      const owner = { subscriptionId, name }
      const [additionalInfo, address] = [
        await openInfo(vault, owner, sealed),
        await openAddress(vault, owner, sealed),
      ]
      return {
        ...{ id, collectionId, insight: insight === null ? null : JSON.parse(insight) },
        members: { ...members, address, additionalInfo },
      }
    }),
  )
}

/** Returns the data of a dataset as it was uploaded, or assembled from its collection; undefined if none is stored. */
export async function findCapture(
  db: Db,
  vault: Vault,
  subscriptionId: number,
  id: number,
): Promise<Buffer | undefined> {
  const [row] = await queryRows<{ blob: Buffer | null; name: string }>(
    db,
    sql`select d.blob, ${SEALED_NAME} as name from datasets d
        where d.subscription_id = ${subscriptionId} and d.id = ${id}`,
  )
  return row?.blob ? vault.open({ subscriptionId, kind: 'capture', name: row.name }, row.blob) : undefined
}

/** A row of a dataset's history; `id` is of the row. */
export interface StoredRow {
  readonly id: number
  readonly row: Readonly<Record<string, unknown>>
}

/** Lists the events of a dataset's timeline. */
export const listStoredEvents = (
  db: Db,
  subscriptionId: number,
  datasetId: number,
  { after, limit }: Page,
): Promise<StoredRow[]> =>
  queryRows(
    db,
    sql`select id, jsonb_build_object('at', ${utcText('at')}, 'event', event, 'actor', actor, 'enqueuedAt', ${utcText('rung_at')},
                                      'claimedAt', ${utcText('claimed_at')}, 'detail', detail) as row
        from dataset_events
        where subscription_id = ${subscriptionId} and dataset_id = ${datasetId} and id > ${after} order by id limit ${limit}`,
  )

/** Lists the recorded reads of a dataset's insight. */
export const listStoredReads = (
  db: Db,
  subscriptionId: number,
  datasetId: number,
  { after, limit }: Page,
): Promise<StoredRow[]> =>
  queryRows(
    db,
    sql`select id, jsonb_build_object('at', ${utcText('requested_at')}, 'requestor', requestor, 'address', address) as row
        from insight_requests
        where subscription_id = ${subscriptionId} and dataset_id = ${datasetId} and id > ${after} order by id limit ${limit}`,
  )

/** Lists the scores of a dataset that were replaced on request. */
export async function listStoredHistory(
  db: Db,
  subscriptionId: number,
  datasetId: number,
  { after, limit }: Page,
): Promise<StoredRow[]> {
  const rows = await queryRows<{ id: number; row: string }>(
    db,
    // json, which may contain what jsonb cannot
    sql`select id, json_build_object('calculatedAt', ${utcText('calculated_at')}, 'replacedAt', ${utcText('replaced_at')},
                                      'requestedBy', actor, 'scores', scores, 'explanations', explanations) as row
        from score_history
        where subscription_id = ${subscriptionId} and dataset_id = ${datasetId} and id > ${after} order by id limit ${limit}`,
  )
  return rows.map(({ id, row }) => ({ id, row: JSON.parse(row) }))
}

/** A collection with what is stored of it, except its segments. */
export interface StoredCollection {
  readonly id: number
  readonly publicId: string
  readonly members: Readonly<Record<string, unknown>>
}

/** Lists collections of a person that are no datasets yet. @throws DataKeyError if one cannot be decrypted. */
export const listOpenCollections = (
  db: Db,
  vault: Vault,
  { subscriptionId, person, after, limit }: Page & { subscriptionId: number; person: Person },
): Promise<StoredCollection[]> =>
  listCollections(
    db,
    vault,
    subscriptionId,
    sql`d.dataset_id is null and ${isCollectionOf(person)} and d.id > ${after} order by d.id limit ${limit}`,
  )

/** Finds the collection that a dataset came from. @throws DataKeyError if it cannot be decrypted. */
export async function findStoredCollection(
  db: Db,
  vault: Vault,
  subscriptionId: number,
  id: number,
): Promise<StoredCollection | undefined> {
  const [found] = await listCollections(db, vault, subscriptionId, sql`d.id = ${id}`)
  return found
}

interface CollectionRow extends StoredCollection, SealedInfo {
  readonly opened: string | null
  readonly sealedOpened: Buffer | null
  readonly completed: string | null
  readonly sealedCompleted: Buffer | null
}

async function listCollections(
  db: Db,
  vault: Vault,
  subscriptionId: number,
  condition: Sql,
): Promise<StoredCollection[]> {
  const rows = await queryRows<CollectionRow>(
    db,
    sql`select d.id, d.public_id as "publicId", d.additional_info as "additionalInfo", d.sealed_info as "sealedInfo",
               d.opened_address as opened, d.sealed_opened_address as "sealedOpened",
               d.completed_address as completed, d.sealed_completed_address as "sealedCompleted",
               jsonb_build_object(
                 'referenceNumber', d.reference_number, 'level', d.level, 'origin', d.origin, 'deviceId', d.device_id,
                 'openedAt', ${utcText('d.opened_at')}, 'completedAt', ${utcText('d.completed_at')}, 'segments', d.segments,
                 'events', d.events, 'request', d.request, 'infoSaves', d.info_saves) as members
        from collections d where d.subscription_id = ${subscriptionId} and ${condition}`,
  )
  return Promise.all(
    rows.map(async ({ id, publicId, members, opened, sealedOpened, completed, sealedCompleted, ...info }) => {
      const owner = { subscriptionId, name: publicId }
      const addresses = {
        openedAddress: await openAddress(vault, owner, { address: opened, sealedAddress: sealedOpened }),
        completedAddress: await openAddress(vault, owner, {
          address: completed,
          sealedAddress: sealedCompleted,
        }),
        additionalInfo: await openInfo(vault, owner, info),
      }
      return { id, publicId, members: { ...members, ...addresses } }
    }),
  )
}

/** Returns the next segment of a collection after `n`, as gzip; undefined if there is none. */
export async function findNextSegment(
  db: Db,
  vault: Vault,
  subscriptionId: number,
  { id, publicId }: Pick<StoredCollection, 'id' | 'publicId'>,
  after: number,
): Promise<{ n: number; body: Buffer } | undefined> {
  const [row] = await queryRows<{ n: number; body: Buffer }>(
    db,
    sql`select n, body from collection_segments
        where subscription_id = ${subscriptionId} and collection_id = ${id} and n > ${after} order by n limit 1`,
  )
  if (!row) return undefined
  return {
    n: row.n,
    body: await vault.open({ subscriptionId, kind: 'segment', name: `${publicId} ${row.n}` }, row.body),
  }
}

/** Lists the sightings of a person of the last 32 days; `id` is their place. */
export async function listStoredSightings(
  db: Db,
  vault: Vault,
  { subscriptionId, person, after, limit }: Page & { subscriptionId: number; person: Person },
): Promise<StoredRow[]> {
  const keys = await vault.findKeys(subscriptionId)
  return queryRows(
    db,
    sql`select s.place as id, jsonb_build_object('at', ${utcText('s.at')}, 'place', s.place) as row
        from sightings s, (select ${subscriptionId}::integer as subscription_id) d
        where s.subscription_id = ${subscriptionId} and s.kind = ${person.kind}
          and s.key = ${storedKey(sql`${hashIdentifier(person.id)}::bytea`, keys)}
          and s.place > ${after}
        order by s.place limit ${limit}`,
  )
}
