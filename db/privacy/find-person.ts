import { hashIdentifier, storedKey } from '../datasets/velocity-keys.ts'
import type { Vault } from '../encryption/vault.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'
import { isCollectionOf, isOf, type Person, type PersonKind } from './person.ts'

/** What is stored of a person, as counts. */
export interface PersonSummary {
  readonly datasets: number
  /** Whether there are more datasets than were counted. */
  readonly truncated: boolean
  /** Of the datasets: with their capture; with an insight; still to be processed. */
  readonly captures: number
  readonly insights: number
  readonly waiting: number
  /** Recorded reads of the insights. */
  readonly reads: number
  /** Captures that browsers send at present. */
  readonly collections: number
  readonly firstUploadAt: string | null
  readonly lastUploadAt: string | null
  /** Counts of velocity, of deleted datasets as well; null if the identifier was never counted. */
  readonly velocity: { readonly datasets: number; readonly others: number } | null
}

/** Datasets that are counted in detail. */
const MAX_COUNTED = 10_000

/** Counters of velocity by the kind of their identifier. */
const COUNTERS = {
  client: { table: raw('clients'), key: raw('client_key'), others: raw('devices') },
  device: { table: raw('devices'), key: raw('device_key'), others: raw('clients') },
} as const satisfies Record<PersonKind, Record<string, Sql>>

/** Counts what is stored of a person, by indexes; up to 10,000 datasets. */
export async function summarisePerson(
  db: Db,
  vault: Vault,
  subscriptionId: number,
  person: Person,
): Promise<PersonSummary> {
  const keys = await vault.findKeys(subscriptionId)
  const { table, key, others } = COUNTERS[person.kind]
  const [summary] = await queryRows<PersonSummary>(
    db,
    sql`with own as materialized (
          select d.subscription_id, d.id, d.blob is not null as whole, d.ring_at is not null as waits, d.status, d.uploaded_at
          from datasets d where d.subscription_id = ${subscriptionId} and ${isOf(person)} order by (-d.id) desc limit ${MAX_COUNTED + 1}
        )
        select least(count(*), ${MAX_COUNTED})::int as datasets, count(*) > ${MAX_COUNTED} as truncated,
               (count(*) filter (where whole))::int as captures, (count(*) filter (where status = 'ready'))::int as insights,
               (count(*) filter (where waits))::int as waiting,
               (select count(*)::int from own cross join lateral (
                  select from insight_requests r where r.subscription_id = own.subscription_id and r.dataset_id = own.id
                ) r) as reads,
               (select count(*)::int from collections d
                where d.subscription_id = ${subscriptionId} and d.dataset_id is null and ${isCollectionOf(person)}) as collections,
               ${utcText('min(uploaded_at)')} as "firstUploadAt", ${utcText('max(uploaded_at)')} as "lastUploadAt",
               (select jsonb_build_object('datasets', c.datasets, 'others', c.${others}) from ${table} c,
                       (select ${subscriptionId}::integer as subscription_id) d
                where c.subscription_id = ${subscriptionId}
                  and c.${key} = ${storedKey(sql`${hashIdentifier(person.id)}::bytea`, keys)}) as velocity
        from own`,
  )
  if (!summary) throw new Error('An aggregate returned no row')
  return summary
}
