import type { DatasetRecord } from '../../db/datasets/dataset-records.ts'
import type { AdditionalInfo } from '../../db/datasets/datasets.ts'
import { listExportDetails } from '../../db/datasets/export-details.ts'
import { openInfo } from '../../db/encryption/personal-data.ts'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import { type FindTexts, textOf } from '../insights/explanation-texts.ts'

/** A record with its Additional Info and the reasons for its scores. */
export interface DescribedRecord extends DatasetRecord {
  readonly additionalInfo: AdditionalInfo
  /** By score code, most important first; text is undefined where the scorecard has none. */
  readonly reasons: ReadonlyMap<
    string,
    readonly { readonly code: string; readonly text: string | undefined }[]
  >
}

/** Adds Additional Info and reasons to records for an export. */
export type DescribeRecords = (records: readonly DatasetRecord[]) => Promise<DescribedRecord[]>

/** Describes records of a subscription by one statement; reasons are in the language of each scorecard. */
export const openDescriptions =
  ({ db, vault }: { db: Db; vault: Vault }, findTexts: FindTexts, subscriptionId: number): DescribeRecords =>
  async (records) => {
    const details = await listExportDetails(
      db,
      subscriptionId,
      records.map(({ referenceNumber }) => referenceNumber),
    )
    const versions = new Set(details.flatMap(({ scores }) => scores.map(({ version }) => version)))
    const texts = await findTexts(subscriptionId, [...versions])
    const opened = details.map(async ({ name, ...one }) => {
      const additionalInfo = await openInfo(vault, { subscriptionId, name }, one)
      return [one.referenceNumber, { ...one, additionalInfo }] as const
    })
    const byReference = new Map(await Promise.all(opened))
    return records.map((record) => {
      const { additionalInfo = {}, scores = [] } = byReference.get(record.referenceNumber) ?? {}
      const reasons = scores.map(({ code, version, reasons }) => {
        const ofVersion = texts.get(version)
        const described = (reasons ?? []).map((reason) => ({
          code: reason,
          text: ofVersion && textOf(ofVersion, reason, [])?.text,
        }))
        return [code, described] as const
      })
      return { ...record, additionalInfo, reasons: new Map(reasons) }
    })
  }
