import pLimit from 'p-limit'
import { BLOB_BYTES, referencePrefix } from '../encryption/capture-reference.ts'
import { openAddress, openInfo, sealPersonal } from '../encryption/personal-data.ts'
import { sealedPrefix, sealedVersion } from '../encryption/seal.ts'
import type { SubscriptionKeys, Vault } from '../encryption/vault.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'
import { SEALED_NAME } from './datasets.ts'

/** Datasets of one transaction, and bytes of their blobs unless the first has more. */
const STEP_ROWS = 200
const STEP_BYTES = 8 * 1024 * 1024

/** Datasets converted at the same time, some of whose captures are in object storage. */
const PARALLEL = 16

interface Row {
  readonly id: number
  readonly name: string
  /** null if it is sealed with the current key already, or removed. */
  readonly blob: Buffer | null
  readonly address: string | null
  readonly sealedAddress: Buffer | null
  readonly additionalInfo: Record<string, string | null>
  readonly sealedInfo: Buffer | null
}

/**
 * Seals the next stored datasets of a subscription with the current version of its key, whether they were stored as they are or sealed with
 * another. Safe beside uploads, processing and several workers. Stops at datasets of the last two minutes, before which one of a lower id may
 * still be committed.
 *
 * @returns how many it read; 0 at the end.
 */
export async function convertDatasets(
  db: Db,
  vault: Vault,
  subscriptionId: number,
  { current }: Pick<SubscriptionKeys, 'current'>,
): Promise<number> {
  return db.transaction(async (trx) => {
    const [progress] = await queryRows<{ through: number }>(
      trx,
      sql`select datasets_through as through from encryption_progress
          where subscription_id = ${subscriptionId} for update`,
    )
    if (!progress) return 0
    const page = await queryRows<{ id: number }>(
      trx,
      sql`select id from (
            select id, coalesce(sum(${BLOB_BYTES}) over (order by id), 0) as bytes, row_number() over (order by id) as n,
                   bool_and(uploaded_at < now() - interval '2 minutes') over (order by id) as old
            from (
              select id, blob, uploaded_at from datasets
              where subscription_id = ${subscriptionId} and id > ${progress.through} order by id limit ${STEP_ROWS}
            ) d
          ) d where old and (n = 1 or bytes <= ${STEP_BYTES}) order by id`,
    )
    const last = page.at(-1)
    if (!last) return 0
    const rows = await queryRows<Row>(
      trx,
      sql`select d.id, ${SEALED_NAME} as name,
                 case when substr(d.blob, 1, 8) not in (${sealedPrefix(current.version)}, ${referencePrefix(current.version)}) then d.blob end as blob,
                 d.real_ip as address, d.sealed_ip as "sealedAddress",
                 d.additional_info as "additionalInfo", d.sealed_info as "sealedInfo"
          from datasets d
          where d.subscription_id = ${subscriptionId} and d.id = any(${page.map(({ id }) => id)}::bigint[])
            and d.status <> 'deleted'
          order by d.id for no key update of d`,
    )
    const limit = pLimit(PARALLEL)
    const converting = rows.map((row) =>
      limit(async () => {
        const values = await convert(vault, { subscriptionId, name: row.name }, current.version, row)
        return values ? [[row.id, ...values]] : []
      }),
    )
    const converted = (await Promise.all(converting)).flat()
    if (converted.length > 0)
      await queryRows(
        trx,
        sql`update datasets d set blob = coalesce(v.blob, d.blob), real_ip = v.real_ip, sealed_ip = null,
              additional_info = v.additional_info, sealed_info = v.sealed_info
            from (values ${valueRows(['bigint', 'bytea', 'text', 'jsonb', 'bytea'], converted)})
              v (id, blob, real_ip, additional_info, sealed_info)
            where d.subscription_id = ${subscriptionId} and d.id = v.id`,
      )
    await queryRows(
      trx,
      sql`update encryption_progress set datasets_through = ${last.id} where subscription_id = ${subscriptionId}`,
    )
    return page.length
  })
}

/** The columns to store; undefined if all of them are sealed with this version. */
async function convert(
  vault: Vault,
  owner: { subscriptionId: number; name: string },
  version: number,
  { blob, ...row }: Row,
) {
  const isCurrent = (sealed: Buffer | null) => sealed === null || sealedVersion(sealed) === version
  const isStored =
    blob === null &&
    row.address === null &&
    isCurrent(row.sealedAddress) &&
    isCurrent(row.sealedInfo) &&
    Object.entries(row.additionalInfo).every(([key, value]) => key === 'clientId' || value === null)
  if (isStored) return undefined
  const capture = { ...owner, kind: 'capture' } as const
  const sealedBlob = blob && (await vault.sealBlob(capture, await vault.open(capture, blob)))
  const info = await openInfo(vault, owner, row)
  const sealed = await sealPersonal(vault, owner, info, await openAddress(vault, owner, row))
  return [sealedBlob, sealed.address, JSON.stringify(sealed.additionalInfo), sealed.sealedInfo] as const
}
