import { z } from 'zod'
import { ReferenceNumber } from '../datasets/members.ts'
import { Timestamp } from '../http/timestamp.ts'

const ScoreValue = {
  value: z.int().nullable().meta({ description: 'Score; null where it could not be computed' }),
  probability: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'Probability of default, 4 decimals' }),
}

const PermissionItems = z.array(
  z.object({
    permission: z.string(),
    state: z.enum(['1', '0', '-1']).nullable().meta({
      description:
        '1 granted; 0 not granted; -1 not declared (Android only); null: the SDK module is not installed or the OS is too old',
    }),
  }),
)

const DeviceInfo = z.object({
  deviceID: z.string().nullable(),
  osVersion: z.string().nullable(),
  brand: z.string().nullable(),
  model: z.string().nullable(),
})

const Velocity = z.object({
  isRepeatableUpload: z.enum(['0', '1']),
  associatedDatasetsCount: z.string().regex(/^\d+$/),
})

const Counts = z.record(z.string(), z.string().regex(/^\d+$/).nullable()).nullable()

const VelocityWindows = z.object({ device: Counts, client: Counts })

/** The value of a fragment, by its kind. */
export const FragmentValue = z.union([PermissionItems, DeviceInfo, Velocity, VelocityWindows])

export const Score = z.object({ code: z.string(), ...ScoreValue })

export const Fragment = z.object({ code: z.string(), value: FragmentValue })

/** The body of the insight call by login token. @see the interface document, "Dataset insight" */
export const DatasetInsight = z
  .object({
    datasetInfo: z.object({
      referenceNumber: ReferenceNumber,
      uploadDate: Timestamp,
      source: z.literal([0, 1, 2]).meta({ description: '0 Android, 1 iOS, 2 Web' }),
    }),
    requestedDate: Timestamp,
    requestor: z.string(),
    scores: z.array(Score),
    fragments: z.array(Fragment),
  })
  .meta({ id: 'DatasetInsight' })

/** The body of the insight call by API key. */
export const InsightsByCode = z
  .object({
    referenceNumber: ReferenceNumber,
    requestedDate: Timestamp,
    insights: z.array(
      z.object({
        code: z.string(),
        value: z.union([z.object(ScoreValue), FragmentValue]),
        calculatedDate: Timestamp,
      }),
    ),
  })
  .meta({ id: 'InsightsByCode' })
