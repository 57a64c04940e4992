import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import type { Consent } from '../capture/collection.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { type Sql, sql } from '../postgres/sql.ts'

/**
 * How a collection gets its reference number, from the weakest evidence to the strongest: the page gives it, the backend claims
 * the collection afterwards, or a token of the backend has it.
 */
export type CollectionLevel = 'open' | 'claimed' | 'verified'

/** A collection's primary key. */
export interface CollectionKey {
  readonly subscriptionId: number
  readonly id: number
}

/** Headers of the request that opened a collection, and the consent that its body stated. */
export interface CollectionRequest {
  readonly userAgent?: string
  /** Language tags, the preferred one first. */
  readonly languages?: readonly string[]
  readonly clientHints?: {
    readonly brands?: readonly { readonly brand: string; readonly version?: string }[]
    readonly mobile?: boolean
    readonly platform?: string
    readonly platformVersion?: string
    readonly model?: string
  }
  readonly consent?: z.output<typeof Consent>
}

/** `c_` and 128 random bits as 22 characters of base64url: whoever knows it may append to the collection, and nothing else. */
const PUBLIC_ID = /^c_[\w-]{22}$/

/** Makes a public id. */
export const makePublicId = (): string => `c_${randomBytes(16).toString('base64url')}`

/** Collections as a table `k (subscription_id, id)` of a statement; each at most once. */
export const unnestCollections = (keys: readonly CollectionKey[]): Sql =>
  sql`(select distinct * from unnest(${keys.map((key) => key.subscriptionId)}::integer[], ${keys.map((key) => key.id)}::bigint[])
       listed (subscription_id, id)) k`

/** A collection that a browser names by its public id. */
export interface KnownCollection extends CollectionKey {
  readonly publicId: string
  readonly siteKeyId: number
}

/** Finds collections by their public ids, in their order; undefined if there is no such collection. */
export async function findCollections(
  db: Db,
  publicIds: readonly string[],
): Promise<(KnownCollection | undefined)[]> {
  const valid = publicIds.filter((publicId) => PUBLIC_ID.test(publicId))
  if (valid.length === 0) return publicIds.map(() => undefined)
  const rows = await queryRows<KnownCollection>(
    db,
    sql`select c.subscription_id as "subscriptionId", c.id, c.public_id as "publicId", c.site_key_id as "siteKeyId"
        from unnest(${valid}::text[]) k (public_id)
        cross join lateral (select * from collections where public_id = k.public_id limit 1) c`,
  )
  const found = new Map(rows.map((row) => [row.publicId, row]))
  return publicIds.map((publicId) => found.get(publicId))
}

/**
 * Lists those of the reference numbers that have no dataset yet because a browser is still collecting it, or had none a moment ago: a
 * collected dataset that exists by now counts too.
 */
export async function listBeingCollected(
  db: Db,
  subscriptionId: number,
  referenceNumbers: readonly string[],
): Promise<Set<string>> {
  const rows = await queryRows<{ name: string }>(
    db,
    sql`select name from unnest(${referenceNumbers}::text[]) n (name)
        where exists (
          select from collections where subscription_id = ${subscriptionId} and reference_number = name
            and dataset_id is null
        ) or exists (
          select from datasets where subscription_id = ${subscriptionId} and reference_number = name
            and collection_id is not null
        )`,
  )
  return new Set(rows.map(({ name }) => name))
}
