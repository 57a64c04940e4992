import { type Db, queryRows } from '../postgres/database.ts'

/** Invalid datasets of a subscription: they are kept, and may be processed again once what was wrong is mended. */
export interface Quarantine {
  /** There may be more if `atLeast`. */
  readonly datasets: number
  readonly atLeast: boolean
  /** Most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly datasets: number }[]
}

/** Looks at the newest `limit` invalid datasets: 10,000 of them take about 20 ms. Those that wait to be processed again are left out. */
export async function countQuarantined(db: Db, subscriptionId: number, limit: number): Promise<Quarantine> {
  const [quarantine] = await queryRows<Quarantine>(
    db,
    `with newest as materialized (
       select invalid_code as reason, ring_at is null as kept from datasets
       where subscription_id = ? and status = 'invalid' order by id desc limit ?
     ), reasons as (
       select reason, count(*)::int as datasets from newest where kept group by reason
     )
     select (select count(*)::int from newest where kept) as datasets,
            (select count(*) = ? from newest) as "atLeast",
            (select coalesce(jsonb_agg(reasons order by datasets desc, reason), '[]') from reasons) as reasons`,
    [subscriptionId, limit, limit],
  )
  if (!quarantine) throw new Error('A count returned no row')
  return quarantine
}
