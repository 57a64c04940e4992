import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { Consent } from '../../db/capture/collection.ts'
import { deriveDeviceId, findCollectionSecret } from '../../db/collections/device-ids.ts'
import type { NewCollection, OpenOutcome } from '../../db/collections/open-collections.ts'
import { COLLECTION_LIMITS } from '../../db/collections/segment.ts'
import type { SiteKeyCounter } from '../../db/collections/site-key-use.ts'
import type { AdditionalInfo } from '../../db/datasets/datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import { NewReferenceNumber } from '../datasets/members.ts'
import { visitorAddress } from '../http/addresses.ts'
import type { Admission } from '../http/admission.ts'
import { atMost } from '../http/at-most.ts'
import { endpoint, type SiteKeyCaller } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { text } from '../http/text.ts'
import { Timestamp } from '../http/timestamp.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Collecting } from './collecting.ts'
import { CollectionId, CollectionNumber, SegmentList } from './collection-schemas.ts'
import type { CollectionTokens } from './collection-tokens.ts'
import { readRequestHeaders } from './request-headers.ts'

const OpenRequest = z
  .object({
    v: z.literal(1).meta({ description: 'Version of the protocol' }),
    nonce: z
      .string()
      .regex(/^[\w-]{16,64}$/, 'must have 16 to 64 letters, digits, - or _')
      .meta({
        description: 'Random text of the page; a request with the same nonce returns the same collection',
        examples: ['Jx0r2vVnq4Tg1sXo7ZbK3A'],
      }),
    device: text(1, 64)
      .optional()
      .meta({
        description: 'Random text in the storage of the browser; the device id is derived from it',
        examples: ['b0QyM1hkV3pqT2x1UmVtZw'],
      }),
    token: z
      .string()
      .max(32_768)
      .optional()
      .meta({ description: 'Token of the backend; required at level verified, and only there' }),
    referenceNumber: NewReferenceNumber.optional().meta({
      description: 'Number of the dataset; required at level open, and only there',
      examples: ['LN-2026-000123'],
    }),
    consent: Consent.optional().meta({
      description: 'The legal basis of the collection',
      examples: [{ basis: 'consent', at: '2026-11-22T08:15:25Z', policy: '2026-10' }],
    }),
    segments: SegmentList.optional(),
  })
  .meta({ id: 'OpenRequest' })

const Opened = z
  .object({
    collection: CollectionId,
    level: z.enum(['open', 'claimed', 'verified']).meta({
      description: 'How the reference number is given: by the page, by a claim of the backend, by its token',
    }),
    referenceNumber: CollectionNumber,
    expiresAt: Timestamp.meta({ description: 'No segment is accepted after this; UTC' }),
    maxSegmentBytes: z.int().meta({
      description: 'Largest body of a segment; inflated, four times as much',
      examples: [COLLECTION_LIMITS.segmentBytes],
    }),
    modules: z.array(z.string()).meta({
      description: 'Optional modules of the SDK that the site key permits',
      examples: [['graphics']],
    }),
  })
  .meta({ id: 'OpenedCollection' })

/** The body may have a token and several segments. */
const MAX_BODY_BYTES = 96 * 1024

/** Cached secrets of subscriptions, which never change. */
const MAX_SECRETS = 10_000

/** What a token or the page states of the dataset. */
type Given = Pick<NewCollection, 'tokenId' | 'referenceNumber'> & { readonly additionalInfo: AdditionalInfo }

export function openCollection({
  path,
  db,
  collecting,
  collectionTokens,
  siteKeyUse,
  limiter,
  admission,
}: {
  path: string
  db: Db
  collecting: Collecting
  collectionTokens: CollectionTokens
  siteKeyUse: Pick<SiteKeyCounter, 'add'>
  limiter: Pick<Limiter, 'findReached'>
  admission: Admission
}) {
  const secrets = new LRUCache<number, Buffer>({
    ...atMost(MAX_SECRETS),
    fetchMethod: (subscriptionId) => findCollectionSecret(db, subscriptionId),
  })

  async function findGiven(
    { siteKey, subscriptionId, origin }: SiteKeyCaller,
    { token, referenceNumber }: z.output<typeof OpenRequest>,
  ): Promise<Given> {
    requireMembers(siteKey.level, { token, referenceNumber })
    if (token === undefined)
      return { tokenId: null, referenceNumber: referenceNumber ?? null, additionalInfo: {} }
    const claims = await collectionTokens.verify(token)
    if (!claims || claims.subscriptionId !== subscriptionId || claims.origin !== origin)
      throw new Problem('collection_token_invalid')
    if (referenceNumber !== undefined && referenceNumber !== claims.referenceNumber)
      throw invalid('referenceNumber', 'must be absent, or the number in the token')
    return claims
  }

  return endpoint({
    method: 'post',
    path: `${path}/open`,
    operationId: 'openCollection',
    idempotency: 'idempotent',
    tag: 'Collections',
    summary: 'Opens a collection for a page',
    description:
      'Safe to retry: the same nonce returns the same collection. segments lets a page that closes send all it has at once.',
    credential: { kind: 'siteKey' },
    admission,
    maxBodyBytes: MAX_BODY_BYTES,
    body: OpenRequest,
    response: { status: 200, description: 'The collection is open', schema: Opened },
    problems: [
      'collection_token_invalid',
      'collection_token_used',
      'reference_number_taken',
      'collection_closed',
      'collection_full',
      'segment_invalid',
      'overloaded',
    ],
    async act(call) {
      const { caller, body } = call
      const { subscriptionId, siteKey, origin } = caller
      try {
        const given = await findGiven(caller, body)
        const secret = body.device === undefined ? undefined : await secrets.forceFetch(subscriptionId)
        const reached = limiter.findReached({ subscriptionId })
        const opened = requireOpened(
          reached,
          await collecting.open({
            ...{ subscriptionId, origin, nonce: body.nonce, level: siteKey.level },
            ...{ siteKeyId: siteKey.id, maxCollectionsPerDay: reached ? 0 : siteKey.maxCollectionsPerDay },
            ...{ tokenId: given.tokenId, referenceNumber: given.referenceNumber },
            additionalInfo: given.additionalInfo,
            deviceId: secret && body.device !== undefined ? deriveDeviceId(secret, body.device) : null,
            address: visitorAddress(call),
            request: {
              ...readRequestHeaders(call.header, call.languages()),
              ...(body.consent && { consent: body.consent }),
            },
          }),
        )
        await Promise.all((body.segments ?? []).map((segment) => collecting.append(opened, segment)))
        return {
          collection: opened.publicId,
          level: opened.level,
          referenceNumber: opened.referenceNumber,
          expiresAt: opened.expiresAt,
          maxSegmentBytes: COLLECTION_LIMITS.segmentBytes,
          modules: siteKey.modules,
        }
      } catch (error) {
        if (error instanceof Problem) siteKeyUse.add({ subscriptionId, siteKeyId: siteKey.id, rejected: 1 })
        throw error
      }
    },
  })
}

const invalid = (member: string, message: string) =>
  new Problem('validation_failed', { errors: { [member]: [message] } })

/** @throws Problem `validation_failed` unless the request has the members that the level of its site key requires. */
function requireMembers(
  level: SiteKeyCaller['siteKey']['level'],
  { token, referenceNumber }: { token?: string | undefined; referenceNumber?: string | undefined },
): void {
  if (level === 'verified' && token === undefined)
    throw invalid('token', 'is required: the site key has level verified')
  if (level !== 'verified' && token !== undefined)
    throw invalid('token', `must be absent: the site key has level ${level}`)
  if (level === 'open' && referenceNumber === undefined)
    throw invalid('referenceNumber', 'is required: the site key has level open')
  if (level === 'claimed' && referenceNumber !== undefined)
    throw invalid('referenceNumber', 'must be absent: the backend gives it when it claims the collection')
}

/** Seconds after which a page may try again when its site key has reached the limit of the day. */
const DAILY_LIMIT_RETRY_SECONDS = 3_600

/** @param reached problem of a limit because of which no further collection may be opened. */
function requireOpened(reached: Problem | undefined, outcome: OpenOutcome) {
  switch (outcome.outcome) {
    case 'token_used':
      throw new Problem('collection_token_used')
    case 'reference_number_taken':
      throw new Problem('reference_number_taken')
    case 'daily_limit':
      throw (
        reached ??
        new Problem('rate_limited', {
          detail:
            'The site key has opened as many collections today, in UTC, as it may; an admin can raise the limit',
          retryAfterSeconds: DAILY_LIMIT_RETRY_SECONDS,
        })
      )
    case 'opened':
      return outcome.collection
  }
}
