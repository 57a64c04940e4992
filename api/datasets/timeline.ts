import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import { findTimeline, TIMELINE_EVENTS } from '../../db/timeline.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { Timestamp } from '../http/timestamp.ts'
import { ReferenceNumber } from './members.ts'
import { referenceNumberOf } from './reference-number-of.ts'

const DatasetTimeline = z
  .object({
    referenceNumber: ReferenceNumber,
    status: z.enum(['received', 'ready', 'invalid', 'deleted']),
    waiting: z.object({ rings: z.int(), ringAt: Timestamp }).nullable().meta({
      description:
        'Set while it waits to be processed: how often it was rung for again, and when it will be next',
    }),
    events: z
      .array(
        z.object({
          at: Timestamp,
          event: z.enum(TIMELINE_EVENTS),
          actor: z.string().nullable().meta({
            description: 'Who did or asked for it; null for what the service did by itself',
          }),
          detail: z.record(z.string(), z.unknown()).nullable().meta({
            description: 'Of invalid: code and detail; of info_saved: keys; of read: address',
          }),
        }),
      )
      .meta({ description: 'Oldest first' }),
    truncated: z.boolean().meta({ description: 'There were more events, or reads, than the newest 300' }),
  })
  .meta({ id: 'DatasetTimeline' })

export const timeline = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/datasets/v1/:referenceNumber/timeline',
    operationId: 'showTimeline',
    tag: 'Datasets',
    summary: 'Show what happened to a dataset, and when',
    description:
      'Received, rung for, claimed by a worker, ready or invalid and why, info saved, recalculated, asked to be processed ' +
      'again, read by whom, deleted by whom. Of a deleted dataset too, without the details.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: { referenceNumber: 'Of the dataset, percent-encoded' },
    answer: { status: 200, description: 'The timeline', schema: DatasetTimeline },
    problems: ['dataset_not_found'],
    async act({ caller: { subscriptionId }, params }) {
      const found = await findTimeline(db, subscriptionId, referenceNumberOf(params))
      if (!found) throw new Problem('dataset_not_found')
      return found
    },
  })
