import { z } from 'zod'
import { COLLECTION_LIMITS, Segment } from '../../db/collections/segment.ts'
import { ReferenceNumber } from '../datasets/members.ts'
import { Timestamp } from '../http/timestamp.ts'

/** Id of a collection. */
export const CollectionId = z.string().meta({
  description: 'Id of the collection; whoever knows it can append to the collection, and nothing else',
  examples: ['c_Qm9va3MgYXJlIGdvb2Qu1w'],
})

/** Reference number of a collection, once it has one. */
export const CollectionNumber = ReferenceNumber.nullable().meta({
  description: 'Reference number of the dataset; null until the backend claims the collection',
  examples: ['LN-2026-000123'],
})

/** When the dataset was created. */
export const CollectionUploadDate = Timestamp.nullable().meta({
  description:
    'When the collection became a dataset; UTC; null until it is complete and has a reference number',
})

/** Number of a segment in a query: a text of digits. */
export const SegmentNumber = z
  .string()
  .regex(/^\d{1,4}$/, `must be a whole number up to ${COLLECTION_LIMITS.segments - 1}`)
  .meta({
    type: 'integer',
    pattern: undefined,
    minimum: 0,
    maximum: COLLECTION_LIMITS.segments - 1,
    description: 'Number of the segment, as in its body',
    examples: [0] as never[],
  })
  .transform(Number)

/** Segments within the body of another request. */
export const SegmentList = z
  .array(Segment)
  .max(100)
  .meta({ description: 'Segments to store at once, at most 100: for a page that closes before a response' })
