import { openAddress, openInfo, sealAddress, sealInfo } from '../encryption/personal-data.ts'
import type { Vault } from '../encryption/vault.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'

/** Collections of one transaction. */
const STEP_ROWS = 200

interface Row {
  readonly id: number
  readonly name: string
  readonly opened: string | null
  readonly sealedOpened: Buffer | null
  readonly completed: string | null
  readonly sealedCompleted: Buffer | null
  readonly additionalInfo: Record<string, string | null>
  readonly sealedInfo: Buffer | null
}

/**
 * Seals addresses and Additional Info of the next stored collections of a subscription with the current version of its key. Segments that were
 * stored as they are stay so for at most a day: then their collection is a dataset, or erased. Stops at collections of the last two minutes.
 *
 * @returns how many it read; 0 at the end.
 */
export async function convertCollections(db: Db, vault: Vault, subscriptionId: number): Promise<number> {
  return db.transaction(async (trx) => {
    const [progress] = await queryRows<{ through: number }>(
      trx,
      sql`select collections_through as through from encryption_progress
          where subscription_id = ${subscriptionId} for update`,
    )
    if (!progress) return 0
    const page = await queryRows<Row & { old: boolean }>(
      trx,
      sql`select id, opened_at < now() - interval '2 minutes' as old, public_id as name, opened_address as opened, sealed_opened_address as "sealedOpened",
                 completed_address as completed, sealed_completed_address as "sealedCompleted",
                 additional_info as "additionalInfo", sealed_info as "sealedInfo"
          from collections where subscription_id = ${subscriptionId} and id > ${progress.through}
          order by id limit ${STEP_ROWS} for no key update`,
    )
    const young = page.findIndex(({ old }) => !old)
    const rows = young < 0 ? page : page.slice(0, young)
    const last = rows.at(-1)
    if (!last) return 0
    const converted = await Promise.all(rows.map((row) => convert(vault, subscriptionId, row)))
    const casts = ['bigint', 'text', 'bytea', 'text', 'bytea', 'jsonb', 'bytea']
    await queryRows(
      trx,
      sql`update collections c set opened_address = v.opened, sealed_opened_address = v.sealed_opened,
            completed_address = v.completed, sealed_completed_address = v.sealed_completed,
            additional_info = v.additional_info, sealed_info = v.sealed_info
          from (values ${valueRows(casts, converted)})
            v (id, opened, sealed_opened, completed, sealed_completed, additional_info, sealed_info)
          where c.subscription_id = ${subscriptionId} and c.id = v.id`,
    )
    await queryRows(
      trx,
      sql`update encryption_progress set collections_through = ${last.id} where subscription_id = ${subscriptionId}`,
    )
    return rows.length
  })
}

async function convert(vault: Vault, subscriptionId: number, row: Row) {
  const owner = { subscriptionId, name: row.name }
  const reseal = async (address: string | null, sealedAddress: Buffer | null) =>
    sealAddress(vault, owner, await openAddress(vault, owner, { address, sealedAddress }))
  const opened = await reseal(row.opened, row.sealedOpened)
  const completed = await reseal(row.completed, row.sealedCompleted)
  const info = await sealInfo(vault, owner, await openInfo(vault, owner, row))
  return [
    ...[row.id, opened.address, opened.sealedAddress, completed.address, completed.sealedAddress],
    ...[JSON.stringify(info.additionalInfo), info.sealedInfo],
  ]
}
