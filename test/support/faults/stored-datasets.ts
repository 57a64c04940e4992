import { type Db, queryRows } from '../../../db/postgres/database.ts'

/** A dataset that has an insight, and everything that was computed for it. */
export interface StoredInsight {
  readonly reference: string
  readonly text: string
}

export const listInsights = (db: Db): Promise<StoredInsight[]> =>
  queryRows(
    db,
    `select d.subscription_id || ' ' || d.reference_number as reference,
            d.velocity::text || i.calculated_at || i.scores || i.fragments || i.features || i.explanations as text
     from datasets d join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
     order by d.subscription_id, d.id`,
  )

/** Lists all datasets as `subscription reference`. */
export const listReferences = async (db: Db): Promise<string[]> =>
  (
    await queryRows<{ reference: string }>(
      db,
      "select subscription_id || ' ' || reference_number as reference from datasets",
    )
  ).map(({ reference }) => reference)

/** Lists devices and clients whose datasets are not counted exactly 1 to N, or whose counter is not N. */
export const listMiscounted = (db: Db): Promise<unknown[]> =>
  queryRows(
    db,
    `with places as (
       select subscription_id, kind, velocity -> kind as place,
              sha256(convert_to(case kind when 'device' then device_id else velocity -> 'client' ->> 'id' end, 'UTF8')) as key
       from datasets cross join unnest(array['device', 'client']) kind where velocity -> kind <> 'null'
     ), counted as (
       select subscription_id, kind, key, count(*) as datasets, count(distinct place -> 'datasets') as places,
              max((place ->> 'datasets')::int) as last
       from places group by 1, 2, 3
     ), counters as (
       select subscription_id, 'device' as kind, device_key as key, datasets from devices
       union all select subscription_id, 'client', client_key, datasets from clients
     )
     select * from counted full join counters k using (subscription_id, kind, key)
     where (counted.datasets, counted.places, counted.last) is distinct from (k.datasets::bigint, k.datasets::bigint, k.datasets)`,
  )
