import { z } from 'zod'
import { findTimeline, TIMELINE_EVENTS } from '../../db/datasets/timeline.ts'
import type { Db } from '../../db/postgres/database.ts'
import { ActorKind } from '../audit/actor-schemas.ts'
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
        rings: z.int().meta({ description: 'Number of times the dataset was enqueued again', examples: [0] }),
        ringAt: Timestamp.meta({ description: 'When the dataset will be enqueued again; UTC' }),
      })
      .nullable()
      .meta({ description: 'Set while the dataset waits to be processed', examples: [null] }),
    events: z
      .array(
        z.object({
          at: Timestamp.meta({ description: 'Time of the event; UTC' }),
          event: z.enum(TIMELINE_EVENTS).meta({ description: 'Type of the event' }),
          actor: z
            .string()
            .nullable()
            .meta({
              description: 'User or API key that caused the event; null for the service itself',
              examples: ['loan backend'],
            }),
          actorKind: ActorKind.nullable().meta({
            description:
              'Kind of the actor; null for the service itself and in records of earlier versions, which name the actor alone',
            examples: ['key'],
          }),
          actorId: z
            .int()
            .nullable()
            .meta({ description: 'Id of the user or API key', examples: [41] }),
          detail: z
            .record(z.string(), z.unknown())
            .nullable()
            .meta({
              description: 'invalid: code and detail; info_saved: keys; read: address',
              examples: [null],
            }),
        }),
      )
      .meta({ description: 'Oldest first' }),
    truncated: z
      .boolean()
      .meta({ description: 'Whether there are more events than the newest 300', examples: [false] }),
  })
  .meta({ id: 'DatasetTimeline' })

export const timeline = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/datasets/v1/:referenceNumber/timeline',
    operationId: 'showTimeline',
    tag: 'Datasets',
    summary: 'Returns the timeline of a dataset',
    description:
      'Lists its events: received, enqueued, claimed by a worker, ready or invalid with the error, Additional Info saved, ' +
      'recalculated, reprocessing requested, read and deleted with the actor. A deleted dataset has events without details.',
    credential: { kind: 'either', scope: 'datasets:read', roles: ['admin', 'analyst'] },
    params: REFERENCE_NUMBER_PARAM,
    response: { status: 200, description: 'The timeline', schema: DatasetTimeline },
    problems: ['dataset_not_found'],
    async act({ caller: { subscriptionId }, params }) {
      const found = await findTimeline(db, subscriptionId, requireReferenceNumber(params))
      if (!found) throw new Problem('dataset_not_found')
      return found
    },
  })
