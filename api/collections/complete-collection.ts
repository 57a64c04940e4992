import { z } from 'zod'
import { COLLECTION_LIMITS, Segment } from '../../db/collections/segment.ts'
import type { SiteKeyCounter } from '../../db/collections/site-key-use.ts'
import { visitorAddress } from '../http/addresses.ts'
import type { Admission } from '../http/admission.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import type { Limiter } from '../limits/limiter.ts'
import { withReservation } from '../limits/with-reservation.ts'
import type { Collecting } from './collecting.ts'
import { CollectionId, CollectionNumber, CollectionUploadDate } from './collection-schemas.ts'

const CompleteRequest = z
  .object({
    segments: z
      .int()
      .min(0)
      .max(COLLECTION_LIMITS.segments)
      .meta({
        description: 'How many segments the page has sent, with last; those numbered below must be stored',
        examples: [1],
      }),
    last: Segment.optional().meta({ description: 'The last segment, to store it in the same request' }),
  })
  .meta({ id: 'CompleteRequest' })

const Completed = z
  .object({
    id: CollectionId,
    referenceNumber: CollectionNumber,
    uploadDate: CollectionUploadDate,
  })
  .meta({ id: 'CompletedCollection' })

/** A segment, and the members around it. */
const MAX_BODY_BYTES = COLLECTION_LIMITS.segmentBytes + 1_024

export const completeCollection = (
  path: string,
  {
    collecting,
    siteKeyUse,
    limiter,
    admission,
  }: {
    collecting: Collecting
    siteKeyUse: Pick<SiteKeyCounter, 'add'>
    limiter: Pick<Limiter, 'reserve'>
    admission: Admission
  },
) =>
  endpoint({
    method: 'post',
    path: `${path}/complete`,
    operationId: 'completeCollection',
    idempotency: 'idempotent',
    tag: 'Collections',
    summary: 'Completes a collection',
    description:
      'A 200 response means that the collection with all its segments is durable; it becomes a dataset once it has a reference ' +
      'number. segments_missing names the segments that are not stored, by number: send them and retry. Safe to retry: the ' +
      'receipt is the same.',
    credential: { kind: 'collection' },
    admission,
    maxBodyBytes: MAX_BODY_BYTES,
    body: CompleteRequest,
    response: { status: 200, description: 'The collection is complete', schema: Completed },
    problems: [
      'segment_invalid',
      'segments_missing',
      'collection_closed',
      'collection_full',
      'reference_number_taken',
      'overloaded',
    ],
    async act(call) {
      const { collection } = call.caller
      const { segments, last } = call.body
      if (last) await collecting.appendLast(collection, last)
      const { subscriptionId, id, publicId, siteKeyId } = collection
      const address = visitorAddress(call)
      const reserved = limiter.reserve({ subscriptionId }, 0)
      const completed = await withReservation(
        reserved,
        (isLimited) =>
          collecting.complete({
            ...{ subscriptionId, id, publicId, announced: segments, address, isLimited },
          }),
        (result) => result.outcome === 'completed' && result.toEnqueue !== undefined,
      )
      switch (completed.outcome) {
        case 'limited':
          throw reserved
        case 'missing':
          throw new Problem('segments_missing', { errors: { segments: completed.missing.map(String) } })
        case 'closed':
          throw new Problem('collection_closed')
        case 'taken':
          throw new Problem('reference_number_taken')
        case 'suspended':
          throw new Problem('subscription_suspended')
        case 'unknown':
          throw new Problem('collection_not_found')
        case 'completed': {
          if (completed.fresh) siteKeyUse.add({ subscriptionId, siteKeyId, completed: 1 })
          const { dataset } = completed
          return {
            id: collection.publicId,
            referenceNumber: dataset?.referenceNumber ?? null,
            uploadDate: dataset?.uploadDate ?? null,
          }
        }
      }
    },
  })
