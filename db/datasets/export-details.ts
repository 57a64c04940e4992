import type { SealedInfo } from '../encryption/personal-data.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { SEALED_NAME } from './datasets.ts'

/** Members of a dataset that an export has in addition to its record. */
export interface ExportDetails extends SealedInfo {
  readonly referenceNumber: string
  /** The row that sealed Additional Info belongs to. */
  readonly name: string
  /** For each score the version that scored and the codes of its reasons, most important first. */
  readonly scores: readonly {
    readonly code: string
    readonly version: string
    readonly reasons: readonly string[] | null
  }[]
}

/**
 * Returns the details of these datasets, in any order.
 *
 * Each is looked up by itself: with stale statistics Postgres would rather read all datasets of the subscription.
 */
export async function listExportDetails(
  db: Db,
  subscriptionId: number,
  referenceNumbers: readonly string[],
): Promise<ExportDetails[]> {
  return queryRows(
    db,
    sql`select d.reference_number as "referenceNumber", d.additional_info as "additionalInfo",
               d.sealed_info as "sealedInfo", ${SEALED_NAME} as name,
               coalesce(i.scores, '[]'::jsonb) as scores
        from unnest(${referenceNumbers}::text[]) wanted (reference_number)
        cross join lateral (
          select d.subscription_id, d.id, d.reference_number, d.additional_info, d.sealed_info, d.collection_id from datasets d
          where d.subscription_id = ${subscriptionId} and d.reference_number = wanted.reference_number limit 1
        ) d
        left join lateral (
          select jsonb_agg(jsonb_build_object('code', e -> 'code', 'version', e -> 'version', 'reasons', e -> 'reasons'))
                   as scores
          from insights i, json_array_elements(i.explanations) e
          where i.subscription_id = d.subscription_id and i.dataset_id = d.id
        ) i on true`,
  )
}
