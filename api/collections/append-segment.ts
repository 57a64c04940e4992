import { z } from 'zod'
import { COLLECTION_LIMITS, Segment } from '../../db/collections/segment.ts'
import type { Admission } from '../http/admission.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import type { Collecting } from './collecting.ts'
import { SegmentNumber } from './collection-schemas.ts'

const Query = z.object({ n: SegmentNumber })

const Stored = z
  .object({ n: z.int().meta({ description: 'Number of the segment', examples: [0] }) })
  .meta({ id: 'StoredSegment' })

export const appendSegment = (path: string, collecting: Collecting, admission: Admission) =>
  endpoint({
    method: 'post',
    path,
    operationId: 'appendSegment',
    idempotency: 'idempotent',
    tag: 'Collections',
    summary: 'Appends a segment to a collection',
    description:
      'A 200 response means that the segment is durable. Segments may arrive in any order, at most 64 KiB each and 256 KiB ' +
      'inflated. Safe to retry: a number that is stored already returns 200 and changes nothing.',
    credential: { kind: 'collection' },
    admission,
    query: Query,
    maxBodyBytes: COLLECTION_LIMITS.segmentBytes,
    body: Segment,
    invalidBody: 'segment_invalid',
    response: { status: 200, description: 'The segment is stored', schema: Stored },
    problems: ['collection_closed', 'collection_full', 'overloaded'],
    async act({ caller, query: { n }, body, received }) {
      if (body.n !== n)
        throw new Problem('segment_invalid', { errors: { n: [`must be ${n}, as in the query`] } })
      await collecting.append(caller.collection, body, received)
      return { n }
    },
  })
