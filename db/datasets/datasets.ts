import type { Platform } from '../capture/capture.ts'
import type { Velocity } from '../capture/velocity-counts.ts'
import { type Db, queryRows, sixDigits } from '../postgres/database.ts'

export type DatasetStatus = 'received' | 'ready' | 'invalid' | 'deleted'

/** Additional Info: what clients save beside a dataset. */
export type AdditionalInfo = Readonly<Record<string, string>>

/** A dataset as an operator sees it: never its data. */
export interface DatasetListing {
  readonly referenceNumber: string
  readonly status: DatasetStatus
  readonly platform: Platform | null
  readonly uploadedAt: string
  readonly settledAt: string | null
  readonly waiting: boolean
  readonly invalid: { readonly code: string; readonly detail: string } | null
}

const LISTING = `
  reference_number as "referenceNumber", status, platform, ${sixDigits('uploaded_at')} as "uploadedAt",
  ${sixDigits('settled_at')} as "settledAt", ring_at is not null as waiting,
  case when invalid_code is not null then jsonb_build_object('code', invalid_code, 'detail', invalid_detail) end as invalid`

/** Which datasets an operator means: those of a subscription to which all of this applies. */
export interface DatasetSelection {
  readonly referenceNumbers?: readonly string[]
  readonly status?: DatasetStatus
  /** Code of the reason for which it is invalid. */
  readonly reason?: string
  /** Uploaded at this instant or later; any text that Postgres reads as a time. */
  readonly since?: string
  /** Uploaded before this instant. */
  readonly until?: string
  /** Those that do not wait to be processed. */
  readonly settled?: true
}

/** The selection as conditions on `datasets`, with their bindings in order. */
export function conditionsOf(selection: DatasetSelection): { sql: string; bindings: unknown[] } {
  const conditions: [sql: string, ...bindings: unknown[]][] = []
  if (selection.referenceNumbers) conditions.push(['reference_number = any(?)', selection.referenceNumbers])
  if (selection.status) conditions.push(['status = ?', selection.status])
  if (selection.reason) conditions.push(['invalid_code = ?', selection.reason])
  if (selection.since) conditions.push(['uploaded_at >= ?::timestamptz', selection.since])
  if (selection.until) conditions.push(['uploaded_at < ?::timestamptz', selection.until])
  if (selection.settled) conditions.push(['ring_at is null'])
  return {
    sql: conditions.map(([sql]) => ` and ${sql}`).join(''),
    bindings: conditions.flatMap(([, ...bindings]) => bindings),
  }
}

/** The selected datasets, newest first, at most `limit`. */
export async function listDatasets(
  db: Db,
  subscriptionId: number,
  selection: DatasetSelection & { readonly status: DatasetStatus },
  limit: number,
): Promise<DatasetListing[]> {
  const { sql, bindings } = conditionsOf(selection)
  return queryRows(
    db,
    `select ${LISTING} from datasets where subscription_id = ? ${sql} order by id desc limit ?`,
    [subscriptionId, ...bindings, limit],
  )
}

/** How many of the selected datasets are ready; a walk through all of them, for a bar of progress. */
export async function countReady(
  db: Db,
  subscriptionId: number,
  selection: Pick<DatasetSelection, 'since' | 'until'>,
): Promise<number> {
  const { sql, bindings } = conditionsOf({ ...selection, status: 'ready' })
  const [row] = await queryRows<{ datasets: number }>(
    db,
    `select count(*)::int as datasets from datasets where subscription_id = ? ${sql}`,
    [subscriptionId, ...bindings],
  )
  return row?.datasets ?? 0
}

/** How many of the selected datasets are invalid for which reason: code to count, the most frequent first. */
export async function countInvalid(
  db: Db,
  subscriptionId: number,
  selection: DatasetSelection,
): Promise<Record<string, number>> {
  const { sql, bindings } = conditionsOf({ ...selection, status: 'invalid' })
  const rows = await queryRows<{ code: string; datasets: number }>(
    db,
    `select invalid_code as code, count(*)::int as datasets from datasets where subscription_id = ? ${sql}
     group by invalid_code order by datasets desc, code`,
    [subscriptionId, ...bindings],
  )
  return Object.fromEntries(rows.map(({ code, datasets }) => [code, datasets]))
}

export async function findDataset(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<(DatasetListing & { additionalInfo: AdditionalInfo; velocity: Velocity | null }) | undefined> {
  const [dataset] = await queryRows<
    DatasetListing & { additionalInfo: AdditionalInfo; velocity: Velocity | null }
  >(
    db,
    `select ${LISTING}, additional_info as "additionalInfo", velocity
     from datasets where subscription_id = ? and reference_number = ?`,
    [subscriptionId, referenceNumber],
  )
  return dataset
}
