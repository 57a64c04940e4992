import { z } from 'zod'
import { Timestamp } from '../http/timestamp.ts'
import { ReferenceNumber } from './members.ts'

/** Of a dataset. */
export const Status = z.enum(['received', 'ready', 'invalid', 'deleted'])

/** Of the SDK that captured it. */
export const DatasetPlatform = z.enum(['android', 'ios', 'web'])

/** What a list tells of a dataset. */
export const DatasetItem = z
  .object({
    referenceNumber: ReferenceNumber,
    status: Status,
    platform: DatasetPlatform.nullable().meta({ description: 'null until it is processed' }),
    uploadedAt: Timestamp,
    settledAt: Timestamp.nullable().meta({ description: 'When it last became ready or invalid' }),
    waiting: z.boolean().meta({ description: 'It is to be processed, for the first time or again' }),
    deviceId: z.string().nullable(),
    clientId: z.string().nullable().meta({ description: 'From its Additional Info' }),
    scores: z
      .array(
        z.object({
          code: z.string(),
          value: z.int().nullable().meta({ description: 'null where it could not be computed' }),
          probability: z.number().min(0).max(1).nullable().meta({ description: 'Probability of default' }),
        }),
      )
      .meta({ description: 'Empty where there is no insight' }),
    invalid: z
      .object({ code: z.string(), detail: z.string() })
      .nullable()
      .meta({ description: 'Why its data could not be decoded' }),
  })
  .meta({ id: 'DatasetItem' })

const Count = z.int().min(1)

const Windows = z
  .object({ '10m': Count, '1h': Count, '24h': Count, '7d': Count, '30d': Count })
  .meta({ description: 'Datasets in the time before it, itself included' })

/** All that is known of one dataset, but for its insight. */
export const Dataset = DatasetItem.extend({
  additionalInfo: z.record(z.string(), z.string()),
  velocity: z
    .object({
      device: z
        .object({
          datasets: Count.meta({ description: 'Its place among the datasets of the device' }),
          windows: Windows,
          clients: z.int().nullable().meta({ description: 'Seen on the device; null: it names no client' }),
        })
        .nullable(),
      client: z
        .object({
          id: z.string(),
          datasets: Count.meta({ description: 'Its place among the datasets of the client' }),
          windows: Windows,
          devices: z.int().meta({ description: 'Seen with the client' }),
        })
        .nullable(),
    })
    .nullable()
    .meta({ description: 'What was counted when it was processed; null until then' }),
  dataKept: z.boolean().meta({
    description: 'Its data is still there and can be processed again; retention may remove it',
  }),
}).meta({ id: 'Dataset' })
