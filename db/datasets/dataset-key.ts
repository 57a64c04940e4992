import { type Sql, sql } from '../postgres/sql.ts'

/** A dataset's primary key. */
export interface DatasetKey {
  readonly subscriptionId: number
  readonly id: number
}

/** The key as a text, for maps and sets. */
export const keyText = ({ subscriptionId, id }: DatasetKey): string => `${subscriptionId} ${id}`

/** Keys as a table `k (subscription_id, id)` of a statement. */
export const unnestKeys = (keys: readonly DatasetKey[]): Sql =>
  sql`unnest(${keys.map((key) => key.subscriptionId)}::integer[], ${keys.map((key) => key.id)}::bigint[])
      k (subscription_id, id)`
