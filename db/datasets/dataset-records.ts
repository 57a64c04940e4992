import type { Platform } from '../capture/capture.ts'
import type { Velocity } from '../capture/velocity-counts.ts'
import { openInfo, type SealedInfo } from '../encryption/personal-data.ts'
import { PLAIN_VAULT, type Vault } from '../encryption/vault.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import {
  type AdditionalInfo,
  type DatasetSelection,
  type DatasetStatus,
  SEALED_NAME,
  selected,
} from './datasets.ts'
import { storedKey } from './velocity-keys.ts'

/** A dataset as its subscription's users see it: never its data. */
export interface DatasetRecord {
  readonly referenceNumber: string
  readonly status: DatasetStatus
  /** null until it is processed, and if its data names none. */
  readonly platform: Platform | null
  readonly uploadedAt: string
  readonly settledAt: string | null
  /** Whether it waits to be processed, for the first time or again. */
  readonly waiting: boolean
  readonly deviceId: string | null
  /** From its Additional Info. */
  readonly clientId: string | null
  /** As in its insight; empty if there is none. */
  readonly scores: readonly {
    readonly code: string
    readonly value: number | null
    readonly probability: number | null
  }[]
  /** Why its data could not be decoded. */
  readonly invalid: { readonly code: string; readonly detail: string } | null
}

/** The members of a record that need no insight, as operators list datasets. */
export type DatasetSummary = Omit<DatasetRecord, 'deviceId' | 'clientId' | 'scores'>

const STATUS_COLUMNS = sql`
  d.reference_number as "referenceNumber", d.status, d.platform, ${utcText('d.uploaded_at')} as "uploadedAt",
  ${utcText('d.settled_at')} as "settledAt", d.ring_at is not null as waiting`

const INVALID_COLUMN = sql`
  case when d.invalid_code is not null
       then jsonb_build_object('code', d.invalid_code, 'detail', d.invalid_detail) end as invalid`

const SUMMARY_COLUMNS = sql`${STATUS_COLUMNS}, ${INVALID_COLUMN}`

/** The columns of a record, from `datasets d` and its `insights i`. */
export const RECORD_COLUMNS = sql`
  ${STATUS_COLUMNS}, d.device_id as "deviceId", d.additional_info ->> 'clientId' as "clientId",
  coalesce(i.scores::jsonb, '[]') as scores, ${INVALID_COLUMN}`

/** A record with everything that belongs to it. */
export interface DatasetDetails extends DatasetRecord {
  readonly additionalInfo: AdditionalInfo
  /** Counts at the time of processing; null until then. */
  readonly velocity: Velocity | null
  /** Present counts of its device and client; null if the dataset names none or none was counted. */
  readonly velocityNow: {
    readonly device: { readonly datasets: number; readonly clients: number } | null
    readonly client: { readonly datasets: number; readonly devices: number } | null
  }
  /** Whether its data is still stored; retention may remove it and keep the insight. */
  readonly dataKept: boolean
  /** How a browser collected it; null if it was uploaded. */
  readonly collection: {
    readonly level: 'open' | 'claimed' | 'verified'
    readonly origin: string
    readonly segments: number
    readonly ended: 'complete' | 'abandoned'
  } | null
}

/**
 * Returns the dataset with this reference number, also a deleted one; undefined if there is none.
 *
 * The present counts are one probe each of the counters' primary keys, however many datasets were counted.
 *
 * @throws DataKeyError if its Additional Info cannot be decrypted.
 */
export async function findDatasetRecord(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  vault: Vault = PLAIN_VAULT,
): Promise<DatasetDetails | undefined> {
  const keys = await vault.findKeys(subscriptionId)
  const [record] = await queryRows<DatasetDetails & SealedInfo & { name: string }>(
    db,
    sql`select ${RECORD_COLUMNS}, d.additional_info as "additionalInfo",
               d.sealed_info as "sealedInfo", ${SEALED_NAME} as name, d.velocity, d.blob is not null as "dataKept",
               (select jsonb_build_object(
                  'level', o.level, 'origin', o.origin, 'segments', o.segments,
                  'ended', case when o.completed_at is null then 'abandoned' else 'complete' end)
                from collections o
                where o.subscription_id = d.subscription_id and o.id = d.collection_id) as collection,
               jsonb_build_object(
                 'device', (select jsonb_build_object('datasets', c.datasets, 'clients', c.clients) from devices c
                            where c.subscription_id = d.subscription_id
                              and c.device_key = ${storedKey(DEVICE_HASH, keys)}),
                 'client', (select jsonb_build_object('datasets', c.datasets, 'devices', c.devices) from clients c
                            where c.subscription_id = d.subscription_id
                              and c.client_key = ${storedKey(CLIENT_HASH, keys)})
               ) as "velocityNow"
        from datasets d left join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
        where d.subscription_id = ${subscriptionId} and d.reference_number = ${referenceNumber}`,
  )
  if (!record) return undefined
  const { sealedInfo, name, ...details } = record
  const additionalInfo = await openInfo(vault, { subscriptionId, name }, { ...details, sealedInfo })
  return { ...details, additionalInfo }
}

const DEVICE_HASH = raw("sha256(convert_to(d.device_id, 'UTF8'))")
const CLIENT_HASH = raw("sha256(convert_to(d.additional_info ->> 'clientId', 'UTF8'))")

/** Returns the dataset with this reference number, also a deleted one, without its data and insight. */
export async function findDatasetSummary(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<DatasetSummary | undefined> {
  const [found] = await queryRows<DatasetSummary>(
    db,
    sql`select ${SUMMARY_COLUMNS} from datasets d
        where subscription_id = ${subscriptionId} and reference_number = ${referenceNumber}`,
  )
  return found
}

/** Lists the selected datasets, newest first, at most `limit`. */
export async function listDatasets(
  db: Db,
  subscriptionId: number,
  selection: DatasetSelection & { readonly status: DatasetStatus },
  limit: number,
): Promise<DatasetSummary[]> {
  return queryRows(
    db,
    sql`select ${SUMMARY_COLUMNS} from datasets d
        where subscription_id = ${subscriptionId} ${selected(selection)} order by id desc limit ${limit}`,
  )
}

/** @throws DataKeyError if its Additional Info cannot be decrypted. */
export async function findDataset(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  vault: Vault = PLAIN_VAULT,
): Promise<(DatasetSummary & Pick<DatasetDetails, 'additionalInfo' | 'velocity'>) | undefined> {
  const [dataset] = await queryRows<
    DatasetSummary & Pick<DatasetDetails, 'velocity'> & SealedInfo & { name: string }
  >(
    db,
    sql`select ${SUMMARY_COLUMNS}, d.additional_info as "additionalInfo", d.sealed_info as "sealedInfo",
               ${SEALED_NAME} as name, d.velocity
        from datasets d where subscription_id = ${subscriptionId} and reference_number = ${referenceNumber}`,
  )
  if (!dataset) return undefined
  const { sealedInfo, name, ...members } = dataset
  const additionalInfo = await openInfo(vault, { subscriptionId, name }, { ...members, sealedInfo })
  return { ...members, additionalInfo }
}
