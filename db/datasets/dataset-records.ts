import type { Platform } from '../capture/capture.ts'
import type { Velocity } from '../capture/velocity-counts.ts'
import { type Db, queryRows, sixDigits } from '../postgres/database.ts'
import type { AdditionalInfo, DatasetStatus } from './datasets.ts'

/** A dataset as the people of its subscription see it: what is known of it, never its data. */
export interface DatasetRecord {
  readonly referenceNumber: string
  readonly status: DatasetStatus
  /** null until it is processed, and where its data told none. */
  readonly platform: Platform | null
  readonly uploadedAt: string
  readonly settledAt: string | null
  /** Whether it is to be processed, for the first time or again. */
  readonly waiting: boolean
  readonly deviceId: string | null
  /** From its Additional Info. */
  readonly clientId: string | null
  /** As its insight has them; empty where there is none. */
  readonly scores: readonly {
    readonly code: string
    readonly value: number | null
    readonly probability: number | null
  }[]
  /** Why its data could not be decoded. */
  readonly invalid: { readonly code: string; readonly detail: string } | null
}

/** The columns of a record, of `datasets d` and its `insights i`. */
export const RECORD = `
  d.reference_number as "referenceNumber", d.status, d.platform, ${sixDigits('d.uploaded_at')} as "uploadedAt",
  ${sixDigits('d.settled_at')} as "settledAt", d.ring_at is not null as waiting, d.device_id as "deviceId",
  d.additional_info ->> 'clientId' as "clientId", coalesce(i.scores::jsonb, '[]') as scores,
  case when d.invalid_code is not null
       then jsonb_build_object('code', d.invalid_code, 'detail', d.invalid_detail) end as invalid`

/** One record with all that belongs to it. */
export interface WholeDatasetRecord extends DatasetRecord {
  readonly additionalInfo: AdditionalInfo
  /** What was counted for it; null until it is processed. */
  readonly velocity: Velocity | null
  /** Counts of its device and client at this moment; each null where the dataset names none or none was counted. */
  readonly velocityNow: {
    readonly device: { readonly datasets: number; readonly clients: number } | null
    readonly client: { readonly datasets: number; readonly devices: number } | null
  }
  /** Whether its data is still there; retention may remove it and keep the insight. */
  readonly dataKept: boolean
}

/**
 * The record of the dataset with this reference number, also of a deleted one; undefined when there is none.
 *
 * The current counts are one probe each of the counters' primary keys, however many datasets were counted.
 */
export async function findDatasetRecord(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<WholeDatasetRecord | undefined> {
  const [record] = await queryRows<WholeDatasetRecord>(
    db,
    `select ${RECORD}, d.additional_info as "additionalInfo", d.velocity, d.blob is not null as "dataKept",
            jsonb_build_object(
              'device', (select jsonb_build_object('datasets', c.datasets, 'clients', c.clients) from devices c
                         where c.subscription_id = d.subscription_id
                           and c.device_key = sha256(convert_to(d.device_id, 'UTF8'))),
              'client', (select jsonb_build_object('datasets', c.datasets, 'devices', c.devices) from clients c
                         where c.subscription_id = d.subscription_id
                           and c.client_key = sha256(convert_to(d.additional_info ->> 'clientId', 'UTF8')))
            ) as "velocityNow"
     from datasets d left join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
     where d.subscription_id = ? and d.reference_number = ?`,
    [subscriptionId, referenceNumber],
  )
  return record
}
