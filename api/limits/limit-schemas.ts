import { z } from 'zod'
import { Timestamp } from '../http/timestamp.ts'

const Requests = z
  .object({
    perSecond: z
      .int()
      .nullable()
      .meta({ description: 'Limit of requests a second; null if none', examples: [100] }),
    burst: z
      .int()
      .nullable()
      .meta({
        description: 'Requests that may arrive at once, after a pause; null if none',
        examples: [1_000],
      }),
    today: z.int().meta({ description: 'Requests of today, in UTC', examples: [48_210] }),
  })
  .meta({ description: 'Limit and use of requests' })

const Datasets = z
  .object({
    perDay: z
      .int()
      .nullable()
      .meta({ description: 'Limit of datasets a day; null if none', examples: [50_000] }),
    today: z.int().meta({ description: 'Datasets received today, in UTC', examples: [12_045] }),
  })
  .meta({ description: 'Limit and use of datasets' })

/** Limits of a subscription and its keys, and their use. */
export const LimitsAndUse = z
  .object({
    day: z.string().meta({ description: 'Today, in UTC', examples: ['2026-11-22'] }),
    resetsAt: Timestamp.meta({ description: 'When the limits of the day begin again; UTC' }),
    subscription: z
      .object({
        requests: Requests,
        datasets: Datasets,
        bytes: z
          .object({
            limit: z
              .int()
              .nullable()
              .meta({ description: 'Limit of bytes stored; null if none', examples: [50_000_000_000] }),
            stored: z.int().meta({ description: 'Bytes of stored captures', examples: [8_120_400_000] }),
            measuredAt: Timestamp.nullable().meta({
              description:
                'When the bytes were measured; later uploads are added, later deletions are not. null before the first time',
            }),
          })
          .meta({ description: 'Limit and use of stored bytes' }),
      })
      .meta({ description: 'The subscription as a whole' }),
    keys: z
      .array(
        z.object({
          id: z.int().meta({ description: 'Id of the key', examples: [41] }),
          label: z
            .string()
            .nullable()
            .meta({ description: 'Purpose of the key', examples: ['loan backend'] }),
          requests: Requests,
          datasets: Datasets,
        }),
      )
      .meta({ description: 'Live keys, newest first; at most 1,000' }),
  })
  .meta({ id: 'LimitsAndUse' })
