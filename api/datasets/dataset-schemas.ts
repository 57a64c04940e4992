import { z } from 'zod'
import { CollectionLevel, CollectionOrigin } from '../collections/collected-schemas.ts'
import { Timestamp } from '../http/timestamp.ts'
import { SCORE_MEMBERS } from '../scorecards/scorecard-schemas.ts'
import { EXAMPLE_INFO, ReferenceNumber } from './members.ts'

/** Status of a dataset. */
export const Status = z.enum(['received', 'ready', 'invalid', 'deleted']).meta({
  examples: ['ready'],
  description:
    'received: not processed yet; ready: has an insight; invalid: its data could not be decoded; deleted: deleted by a user or by retention',
})

/** Platform of the SDK that made the capture. */
const DatasetPlatform = z.enum(['android', 'ios', 'web'])

/** A dataset in a list. */
export const DatasetItem = z
  .object({
    referenceNumber: ReferenceNumber,
    status: Status,
    platform: DatasetPlatform.nullable().meta({
      description: 'Platform of the SDK; null until the dataset is processed',
    }),
    uploadedAt: Timestamp.meta({ description: 'When the dataset was uploaded; UTC' }),
    settledAt: Timestamp.nullable().meta({
      description: 'When the dataset last became ready or invalid; UTC',
    }),
    waiting: z.boolean().meta({ description: 'Whether the dataset waits to be processed or reprocessed' }),
    deviceId: z
      .string()
      .nullable()
      .meta({
        description:
          'Identifier of the device; null until the dataset is processed, or where the capture has none',
        examples: ['5b1f6f0e-8f3c-4c1e-9f0d-2f6f1b0c7a11'],
      }),
    clientId: z
      .string()
      .nullable()
      .meta({ description: 'clientId in the Additional Info', examples: ['C-1042'] }),
    scores: z
      .array(
        z
          .object({
            code: z.string().meta({ description: 'Code of the scorecard', examples: ['app_score'] }),
            ...SCORE_MEMBERS,
          })
          .meta({ id: 'DatasetScore' }),
      )
      .meta({ description: 'Scores; empty without an insight' }),
    invalid: z
      .object({
        code: z.string().meta({ description: 'Error code', examples: ['not_gzip'] }),
        detail: z.string().meta({
          description: 'Error message',
          examples: ['The data does not start with the gzip magic number (H4sI in base64)'],
        }),
      })
      .nullable()
      .meta({ description: 'Why the data could not be decoded; null if it could', examples: [null] }),
  })
  .meta({ id: 'DatasetItem' })

const Count = z
  .int()
  .min(1)
  .meta({ examples: [1] })

const Windows = z
  .object({
    '10m': Count.meta({ description: 'In the last 10 minutes' }),
    '1h': Count.meta({ description: 'In the last hour' }),
    '24h': Count.meta({ description: 'In the last 24 hours' }),
    '7d': Count.meta({ description: 'In the last 7 days' }),
    '30d': Count.meta({ description: 'In the last 30 days' }),
  })
  .meta({ id: 'VelocityCounts', description: 'Datasets in the time up to this one, which is included' })

/** A dataset without its insight. */
export const Dataset = DatasetItem.extend({
  additionalInfo: z
    .record(z.string(), z.string())
    .meta({ description: 'All Additional Info saved for the dataset', examples: [EXAMPLE_INFO] }),
  velocity: z
    .object({
      device: z
        .object({
          datasets: Count.meta({ description: 'Position of the dataset among those of the device' }),
          windows: Windows,
          clients: z
            .int()
            .nullable()
            .meta({
              description: 'Clients seen on the device; null if the dataset has no client',
              examples: [1],
            }),
        })
        .nullable()
        .meta({ description: 'Counts of the device; null if the dataset has none' }),
      client: z
        .object({
          id: z.string().meta({ description: 'clientId in the Additional Info', examples: ['C-1042'] }),
          datasets: Count.meta({ description: 'Position of the dataset among those of the client' }),
          windows: Windows,
          devices: z.int().meta({ description: 'Devices seen with the client', examples: [1] }),
        })
        .nullable()
        .meta({ description: 'Counts of the client; null if the dataset has none' }),
    })
    .nullable()
    .meta({ description: 'Velocity counted during processing; null until then' }),
  velocityNow: z
    .object({
      device: z
        .object({
          datasets: Count.meta({ description: 'Datasets of the device' }),
          clients: z
            .int()
            .min(0)
            .meta({ description: 'Clients seen on the device', examples: [1] }),
        })
        .nullable()
        .meta({ description: 'Counts of the device; null if the dataset has none' }),
      client: z
        .object({
          datasets: Count.meta({ description: 'Datasets of the client' }),
          devices: z
            .int()
            .min(0)
            .meta({ description: 'Devices seen with the client', examples: [1] }),
        })
        .nullable()
        .meta({ description: 'Counts of the client; null if the dataset has none' }),
    })
    .meta({
      description:
        'Current counts, including later datasets; null without a device or client, or until the dataset is processed',
    }),
  dataKept: z.boolean().meta({
    description: 'Whether the data is still stored and can be reprocessed; retention may remove it',
  }),
  collection: z
    .object({
      level: CollectionLevel,
      origin: CollectionOrigin,
      segments: z.int().meta({ description: 'Segments that the browser sent', examples: [12] }),
      ended: z.enum(['complete', 'abandoned']).meta({
        description:
          'complete: the page ended the collection; abandoned: the browser sent nothing for 30 minutes',
      }),
    })
    .nullable()
    .meta({
      id: 'DatasetCollection',
      description: 'How a browser collected the dataset; null if it was uploaded',
    }),
}).meta({ id: 'Dataset' })
