import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql, valueRows } from '../postgres/sql.ts'

/** Use of a site key to add to that of today, in UTC; opened collections are counted as they are opened. */
export interface SiteKeyUse {
  readonly subscriptionId: number
  readonly siteKeyId: number
  readonly completed?: number
  readonly abandoned?: number
  /** Requests to open that were rejected: wrong origin or token, too many. */
  readonly rejected?: number
  /** Bytes of accepted segments as JSON, repeated ones included. */
  readonly bytes?: number
}

/** Adds to the use of site keys. Each key at most once. Call it outside of a transaction that locks collections. */
export async function addSiteKeyUse(db: Db, use: readonly SiteKeyUse[]): Promise<void> {
  if (use.length === 0) return
  const rows = valueRows(
    ['integer', 'integer', 'integer', 'integer', 'integer', 'bigint'],
    use
      .toSorted((a, b) => a.subscriptionId - b.subscriptionId || a.siteKeyId - b.siteKeyId) // concurrent calls wait, not deadlock
      .map(({ subscriptionId, siteKeyId, completed = 0, abandoned = 0, rejected = 0, bytes = 0 }) => [
        ...[subscriptionId, siteKeyId, completed, abandoned, rejected, bytes],
      ]),
  )
  await queryRows(
    db,
    sql`insert into site_key_days as d
          (subscription_id, site_key_id, completed, abandoned, rejected, bytes, day)
        select v.*, ${raw("(now() at time zone 'UTC')::date")} from (values ${rows}) v
        on conflict (subscription_id, site_key_id, day) do update set
          completed = d.completed + excluded.completed, abandoned = d.abandoned + excluded.abandoned,
          rejected = d.rejected + excluded.rejected, bytes = d.bytes + excluded.bytes`,
  )
}

/** Counts the use of site keys in this process. */
export interface SiteKeyCounter {
  add(use: SiteKeyUse): void
  /** Writes what was counted since the last call; if that fails, it is retried by the next call. */
  flush(): Promise<void>
}

/** Opens counting; a process that is killed loses what it counted since the last flush. */
export function openSiteKeyCounter(db: Db): SiteKeyCounter {
  let counted = new Map<string, SiteKeyUse>()
  const add = (use: SiteKeyUse): void => {
    const key = `${use.subscriptionId} ${use.siteKeyId}`
    counted.set(key, sumOf(use, counted.get(key)))
  }
  return {
    add,
    async flush() {
      const taken = [...counted.values()]
      counted = new Map()
      try {
        await addSiteKeyUse(db, taken)
      } catch (error) {
        taken.forEach(add)
        throw error
      }
    },
  }
}

const sumOf = (use: SiteKeyUse, more: SiteKeyUse = use): SiteKeyUse => {
  const sum = (name: 'completed' | 'abandoned' | 'rejected' | 'bytes') =>
    (use[name] ?? 0) + (more === use ? 0 : (more[name] ?? 0))
  return {
    subscriptionId: use.subscriptionId,
    siteKeyId: use.siteKeyId,
    completed: sum('completed'),
    abandoned: sum('abandoned'),
    rejected: sum('rejected'),
    bytes: sum('bytes'),
  }
}
