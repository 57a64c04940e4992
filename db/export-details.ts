import { type Db, queryRows } from './database.ts'
import type { AdditionalInfo } from './datasets.ts'

/** Members of a dataset that an export has beside its record. */
export interface ExportDetails {
  readonly referenceNumber: string
  readonly additionalInfo: AdditionalInfo
  /** For each score the version that scored and the codes of its reasons, most important first. */
  readonly scores: readonly {
    readonly code: string
    readonly version: string
    readonly reasons: readonly string[] | null
  }[]
}

/** Returns the details of these datasets, in any order. */
export async function listExportDetails(
  db: Db,
  subscriptionId: number,
  referenceNumbers: readonly string[],
): Promise<ExportDetails[]> {
  return queryRows(
    db,
    `select d.reference_number as "referenceNumber", d.additional_info as "additionalInfo",
            coalesce(i.scores, '[]'::jsonb) as scores
     from datasets d
     left join lateral (
       select jsonb_agg(jsonb_build_object('code', e -> 'code', 'version', e -> 'version', 'reasons', e -> 'reasons')) as scores
       from insights i, json_array_elements(i.explanations) e
       where i.subscription_id = d.subscription_id and i.dataset_id = d.id
     ) i on true
     where d.subscription_id = ? and d.reference_number = any(?)`,
    [subscriptionId, referenceNumbers],
  )
}
