import { type Db, queryRows } from '../postgres/database.ts'

/** What waits to be processed, of all subscriptions. */
export interface Backlog {
  /** At most the number asked for: there may be more. */
  readonly datasets: number
  /** How long the oldest upload among them has waited that was never settled; 0 where there is none. */
  readonly oldestSeconds: number
}

/** Looks at `limit` of the waiting datasets, those whose turn is longest ago: 10,000 of them take about 10 ms. */
export async function measureBacklog(db: Db, limit: number): Promise<Backlog> {
  const [backlog] = await queryRows<Backlog>(
    db,
    `select count(*)::int as datasets,
            coalesce(extract(epoch from now() - min(uploaded_at) filter (where status = 'received')), 0)::float
              as "oldestSeconds"
     from (select status, uploaded_at from datasets where ring_at is not null order by ring_at limit ?) waiting`,
    [limit],
  )
  return backlog ?? { datasets: 0, oldestSeconds: 0 }
}

/** Whether the patience with some dataset is over, so that the relay is to ring for it, or could not. */
export async function isOverdue(db: Db): Promise<boolean> {
  const rows = await queryRows(db, 'select from datasets where ring_at <= now() limit 1')
  return rows.length > 0
}
