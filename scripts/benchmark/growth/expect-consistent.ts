import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'

/** More take too long to check; larger databases are filled by the same statements. */
const MAX_CHECKED = 10_000

/** Checks that the tables of a filled database agree with each other. @throws Error with what does not. */
export async function expectConsistent(db: Db, datasets: number): Promise<void> {
  if (datasets > MAX_CHECKED) return
  const checks = await queryRows<{ name: string; holds: boolean }>(
    db,
    sql`with ready as (select * from datasets where status = 'ready'), counters as (
          select subscription_id, 'device' as kind, device_key as key, datasets, clients as others from devices
          union all select subscription_id, 'client', client_key, datasets, devices from clients
        ), pairs as (
          select subscription_id, 'device' as kind, device_key as key, count(*) as others from client_devices group by 1, 3
          union all select subscription_id, 'client', client_key, count(*) from client_devices group by 1, 3
        ), newest as (
          select subscription_id, kind, key, max(place) as datasets from sightings group by 1, 2, 3 having max(at) > now() - interval '31 days'
        )
        select * from (values
          ('datasets', (select count(*) = ${datasets} from datasets)),
          ('times rise with ids', (select every(late is not true) from (
             select uploaded_at < lag(uploaded_at) over (order by id) as late from datasets) d)),
          ('insights', (select count(*) from insights) = (select count(*) from ready)),
          ('devices', (select sum(datasets) from devices) = (select count(*) from ready)),
          ('clients', (select sum(datasets) from clients) = (select count(*) from ready)),
          ('ids of devices', (select count(distinct (subscription_id, device_id)) from ready) = (select count(*) from devices)),
          ('ids of clients', (select count(distinct (subscription_id, additional_info ->> 'clientId')) from ready)
             = (select count(*) from clients)),
          ('pairs', (select every(c.others = p.others) from counters c left join pairs p using (subscription_id, kind, key))),
          ('places', (select every(c.datasets = n.datasets) from counters c join newest n using (subscription_id, kind, key))),
          ('events', (select count(*) > 0 from dataset_events)),
          ('reads', (select count(*) > 0 from insight_requests))
        ) checks (name, holds) where holds is not true`,
  )
  if (checks.length > 0)
    throw new Error(`The filled tables do not agree: ${checks.map(({ name }) => name).join(', ')}`)
}
