import { z } from 'zod'
import { findTimeline, TIMELINE_EVENTS } from '../../db/datasets/timeline.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { Timestamp } from '../http/timestamp.ts'
import { Status } from './dataset-schemas.ts'
import { ReferenceNumber } from './members.ts'
import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from './reference-number.ts'

const DatasetTimeline = z
  .object({
    referenceNumber: ReferenceNumber,
    status: Status,
    waiting: z
      .object({
        rings: z.int().meta({ description: 'How often it was enqueued again', examples: [0] }),
        ringAt: Timestamp.meta({ description: 'When it will be enqueued again; UTC' }),
      })
      .nullable()
      .meta({ description: 'Set while it waits to be processed', examples: [null] }),
    events: z
      .array(
        z.object({
          at: Timestamp.meta({ description: 'When it happened; UTC' }),
          event: z.enum(TIMELINE_EVENTS).meta({ description: 'What happened' }),
          actor: z
            .string()
            .nullable()
            .meta({
              description: 'Who did or asked for it; null for what the service did by itself',
              examples: ['loan backend'],
            }),
          detail: z
            .record(z.string(), z.unknown())
            .nullable()
            .meta({
              description: 'Of invalid: code and detail; of info_saved: keys; of read: address',
              examples: [null],
            }),
        }),
      )
      .meta({ description: 'Oldest first' }),
    truncated: z
      .boolean()
      .meta({ description: 'There were more events, or reads, than the newest 300', examples: [false] }),
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
    params: REFERENCE_NUMBER_PARAM,
    response: { status: 200, description: 'The timeline', schema: DatasetTimeline },
    problems: ['dataset_not_found'],
    async act({ caller: { subscriptionId }, params }) {
      const found = await findTimeline(db, subscriptionId, requireReferenceNumber(params))
      if (!found) throw new Problem('dataset_not_found')
      return found
    },
  })
