import { z } from 'zod'
import { Timestamp } from '../http/timestamp.ts'
import { EXAMPLE_INFO, ReferenceNumber } from './members.ts'

/** Of a dataset. */
export const Status = z.enum(['received', 'ready', 'invalid', 'deleted']).meta({
  examples: ['ready'],
  description:
    'received: not processed yet; ready: has an insight; invalid: its data could not be decoded; deleted: on request or by retention',
})

/** Of the SDK that captured it. */
const DatasetPlatform = z.enum(['android', 'ios', 'web'])

/** What a list tells of a dataset. */
export const DatasetItem = z
  .object({
    referenceNumber: ReferenceNumber,
    status: Status,
    platform: DatasetPlatform.nullable().meta({
      description: 'Platform of the SDK; null until it is processed',
    }),
    uploadedAt: Timestamp.meta({ description: 'When it was uploaded; UTC' }),
    settledAt: Timestamp.nullable().meta({ description: 'When it last became ready or invalid' }),
    waiting: z.boolean().meta({ description: 'It is to be processed, for the first time or again' }),
    deviceId: z
      .string()
      .nullable()
      .meta({
        description: 'Identifier of the device; null until it is processed, or where the capture has none',
        examples: ['5b1f6f0e-8f3c-4c1e-9f0d-2f6f1b0c7a11'],
      }),
    clientId: z
      .string()
      .nullable()
      .meta({ description: 'From its Additional Info', examples: ['C-1042'] }),
    scores: z
      .array(
        z
          .object({
            code: z.string().meta({ description: 'Code of the scorecard', examples: ['app_score'] }),
            value: z
              .int()
              .nullable()
              .meta({ description: 'Score; null where it could not be computed', examples: [612] }),
            probability: z
              .number()
              .min(0)
              .max(1)
              .nullable()
              .meta({ description: 'Probability of default', examples: [0.0731] }),
          })
          .meta({ id: 'DatasetScore' }),
      )
      .meta({ description: 'Empty where there is no insight' }),
    invalid: z
      .object({
        code: z.string().meta({ description: 'Code of the reason', examples: ['not_gzip'] }),
        detail: z.string().meta({
          description: 'The reason in words',
          examples: ['The data does not start with the mark of gzip (H4sI in base64)'],
        }),
      })
      .nullable()
      .meta({ description: 'Why its data could not be decoded; null where it could', examples: [null] }),
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
  .meta({ id: 'VelocityCounts', description: 'Datasets in the time before it, itself included' })

/** All that is known of one dataset, but for its insight. */
export const Dataset = DatasetItem.extend({
  additionalInfo: z
    .record(z.string(), z.string())
    .meta({ description: 'All Additional Info that is saved for it', examples: [EXAMPLE_INFO] }),
  velocity: z
    .object({
      device: z
        .object({
          datasets: Count.meta({ description: 'Its place among the datasets of the device' }),
          windows: Windows,
          clients: z
            .int()
            .nullable()
            .meta({ description: 'Clients seen on the device; null: it names no client', examples: [1] }),
        })
        .nullable()
        .meta({ description: 'Of its device; null: it names none' }),
      client: z
        .object({
          id: z.string().meta({ description: 'clientId of its Additional Info', examples: ['C-1042'] }),
          datasets: Count.meta({ description: 'Its place among the datasets of the client' }),
          windows: Windows,
          devices: z.int().meta({ description: 'Devices seen with the client', examples: [1] }),
        })
        .nullable()
        .meta({ description: 'Of its client; null: it names none' }),
    })
    .nullable()
    .meta({ description: 'What was counted when it was processed; null until then' }),
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
        .meta({ description: 'Counts of its device; null: it names none' }),
      client: z
        .object({
          datasets: Count.meta({ description: 'Datasets of the client' }),
          devices: z
            .int()
            .min(0)
            .meta({ description: 'Devices seen with the client', examples: [1] }),
        })
        .nullable()
        .meta({ description: 'Counts of its client; null: it names none' }),
    })
    .meta({
      description:
        'Current counts, later datasets included; null where the dataset has no device or client, or before it is processed',
    }),
  dataKept: z.boolean().meta({
    description: 'Its data is still there and can be processed again; retention may remove it',
  }),
}).meta({ id: 'Dataset' })
