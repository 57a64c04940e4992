import type { StoredInfo } from '../encryption/personal-data.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, sql, valueRows } from '../postgres/sql.ts'
import {
  type CollectionLevel,
  type CollectionRequest,
  type KnownCollection,
  makePublicId,
} from './collections.ts'
import { COLLECTION_LIMITS } from './segment.ts'

/** A collection to open. */
export interface NewCollection {
  readonly subscriptionId: number
  /** Drawn if it is not given; what is sealed belongs to it. */
  readonly publicId?: string
  readonly siteKeyId: number
  /** Of the site key, per day in UTC. */
  readonly maxCollectionsPerDay: number
  /** Chosen by the browser; a second request with the same one returns the same collection. */
  readonly nonce: string
  readonly level: CollectionLevel
  readonly origin: string
  /** Id of the token that opens it; each opens one collection. */
  readonly tokenId: string | null
  readonly referenceNumber: string | null
  readonly additionalInfo: StoredInfo
  readonly sealedInfo?: Buffer | null
  readonly deviceId: string | null
  readonly address: string | null
  readonly sealedAddress?: Buffer | null
  readonly request: CollectionRequest
}

/** A collection that was opened, now or before. */
export interface OpenedCollection extends KnownCollection {
  readonly level: CollectionLevel
  readonly referenceNumber: string | null
  /** UTC with six fractional digits. */
  readonly expiresAt: string
}

/** The outcome of opening. */
export type OpenOutcome =
  | { readonly outcome: 'opened'; readonly collection: OpenedCollection }
  | { readonly outcome: 'token_used' | 'reference_number_taken' | 'daily_limit' }

/**
 * How long a collection without a segment waits before a worker checks whether it was abandoned. The worker compares the time of the
 * last segment, so that segments need not move the check.
 */
const ABANDONED_AFTER_MINUTES = 30

/**
 * Opens collections in one commit; it is committed when this resolves. Counts them by site key and day, and opens no more than the
 * key's limit allows, over all processes.
 *
 * @returns the outcome of each, in their order. Of two with the same nonce, both get the first one's collection.
 */
export async function openCollections(db: Db, wanted: readonly NewCollection[]): Promise<OpenOutcome[]> {
  // in one order in all processes, so that batches with the same nonces or numbers wait for each other, not deadlock
  const sorted = wanted.toSorted((a, b) => (nonceOf(a) < nonceOf(b) ? -1 : 1))
  const opened = await db.transaction(async (trx) => {
    // the counters are locked first: no other process then changes what the collections are counted against
    const [, inserted] = await Promise.all([lockDays(trx, sorted), insertCollections(trx, sorted)])
    return new Map(
      inserted.map(({ nonce, ...collection }) => [nonceOf({ ...collection, nonce }), collection]),
    )
  })
  const others = wanted.filter((one) => !opened.has(nonceOf(one)))
  const reasons = others.length > 0 ? await findReasons(db, others) : []
  return wanted.map((one) => {
    const collection = opened.get(nonceOf(one))
    return collection ? { outcome: 'opened', collection } : (reasons[others.indexOf(one)] ?? DAILY_LIMIT)
  })
}

const DAILY_LIMIT: OpenOutcome = { outcome: 'daily_limit' }

const nonceOf = ({
  subscriptionId,
  siteKeyId,
  nonce,
}: Pick<NewCollection, 'subscriptionId' | 'siteKeyId' | 'nonce'>) => `${subscriptionId} ${siteKeyId} ${nonce}`

const TODAY = raw("(now() at time zone 'UTC')::date")

const COLUMNS = sql`
  c.subscription_id as "subscriptionId", c.id, c.public_id as "publicId", c.site_key_id as "siteKeyId", c.nonce, c.level,
  c.reference_number as "referenceNumber",
  ${utcText(`(c.opened_at + interval '${COLLECTION_LIMITS.hours} hours')`)} as "expiresAt"`

type WithNonce = OpenedCollection & { readonly nonce: string }

async function lockDays(trx: Db, wanted: readonly NewCollection[]): Promise<void> {
  await queryRows(
    trx,
    sql`insert into site_key_days as d (subscription_id, site_key_id, day)
        select distinct subscription_id, site_key_id, ${TODAY}
        from unnest(${wanted.map(({ subscriptionId }) => subscriptionId)}::integer[],
                    ${wanted.map(({ siteKeyId }) => siteKeyId)}::integer[]) k (subscription_id, site_key_id)
        order by 1, 2
        on conflict (subscription_id, site_key_id, day) do update set opened = d.opened`,
  )
}

async function insertCollections(trx: Db, wanted: readonly NewCollection[]): Promise<WithNonce[]> {
  const rows = valueRows(
    [
      ...[
        'integer',
        'integer',
        'integer',
        'integer',
        'text',
        'text',
        'text',
        'text',
        'uuid',
        'text',
        'jsonb',
      ],
      ...['text', 'text', 'jsonb', 'bytea', 'bytea'],
    ],
    wanted.map((one, at) => [
      ...[
        at,
        one.subscriptionId,
        one.siteKeyId,
        one.maxCollectionsPerDay,
        one.publicId ?? makePublicId(),
        one.nonce,
      ],
      ...[one.level, one.origin, one.tokenId, one.referenceNumber, JSON.stringify(one.additionalInfo)],
      ...[
        one.deviceId,
        one.address,
        JSON.stringify(one.request),
        one.sealedInfo ?? null,
        one.sealedAddress ?? null,
      ],
    ]),
  )
  return queryRows(
    trx,
    sql`with wanted as (
          select v.*, row_number() over (partition by subscription_id, site_key_id order by at) as place
          from (values ${rows}) v (at, subscription_id, site_key_id, max_per_day, public_id, nonce, level, origin, token_id,
                                   reference_number, additional_info, device_id, address, request, sealed_info, sealed_address)
        ), opened as (
          insert into collections as c
            (subscription_id, site_key_id, public_id, nonce, level, origin, token_id, reference_number, additional_info,
             device_id, opened_address, request, sealed_info, sealed_opened_address, due_at)
          select w.subscription_id, w.site_key_id, w.public_id, w.nonce, w.level, w.origin, w.token_id, w.reference_number,
                 w.additional_info, w.device_id, w.address, w.request, w.sealed_info, w.sealed_address,
                 now() + make_interval(mins => ${ABANDONED_AFTER_MINUTES})
          from wanted w
          join site_key_days d on d.subscription_id = w.subscription_id and d.site_key_id = w.site_key_id and d.day = ${TODAY}
          where d.opened + w.place <= w.max_per_day and not exists (
            select from datasets e where e.subscription_id = w.subscription_id and e.reference_number = w.reference_number
          )
          order by w.at
          on conflict do nothing
          returning ${COLUMNS}
        ), counted as (
          update site_key_days d set opened = d.opened + o.collections
          from (
            select "subscriptionId" as subscription_id, "siteKeyId" as site_key_id, count(*) as collections
            from opened group by 1, 2
          ) o
          where d.subscription_id = o.subscription_id and d.site_key_id = o.site_key_id and d.day = ${TODAY}
        )
        select * from opened`,
  )
}

/** Finds the collections of repeated requests and why others were not opened; undefined if neither is the reason. */
async function findReasons(db: Db, wanted: readonly NewCollection[]): Promise<(OpenOutcome | undefined)[]> {
  const rows = valueRows(
    ['integer', 'integer', 'integer', 'text', 'uuid', 'text'],
    wanted.map((one, at) => [
      ...[at, one.subscriptionId, one.siteKeyId, one.nonce, one.tokenId, one.referenceNumber],
    ]),
  )
  const found = await queryRows<
    { [Member in keyof WithNonce]: WithNonce[Member] | null } & {
      subscriptionId: number
      tokenUsed: boolean
      taken: boolean
    }
  >(
    db,
    sql`select ${COLUMNS},
               exists (
                 select from collections t where t.subscription_id = w.subscription_id and t.token_id = w.token_id
               ) as "tokenUsed",
               exists (
                 select from collections o where o.subscription_id = w.subscription_id
                   and o.reference_number = w.reference_number and o.dataset_id is null
               ) or exists (
                 select from datasets e where e.subscription_id = w.subscription_id
                   and e.reference_number = w.reference_number
               ) as taken
        from (values ${rows}) w (at, subscription_id, site_key_id, nonce, token_id, reference_number)
        left join lateral (
          select * from collections c where c.subscription_id = w.subscription_id and c.site_key_id = w.site_key_id
            and c.nonce = w.nonce limit 1
        ) c on true
        order by w.at`,
  )
  return found.map(({ nonce, tokenUsed, taken, ...collection }) => {
    if (nonce !== null) return { outcome: 'opened', collection: collection as OpenedCollection }
    if (tokenUsed) return { outcome: 'token_used' }
    return taken ? { outcome: 'reference_number_taken' } : undefined
  })
}
