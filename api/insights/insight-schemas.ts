import { z } from 'zod'
import { CollectionLevel, CollectionOrigin } from '../collections/collected-schemas.ts'
import { ReferenceNumber } from '../datasets/members.ts'
import { Timestamp } from '../http/timestamp.ts'
import { CODE_PATTERN, SCORE_MEMBERS } from '../scorecards/scorecard-schemas.ts'

const PermissionItem = z
  .object({
    permission: z
      .string()
      .meta({ description: 'Name of the permission', examples: ['android.permission.READ_CONTACTS'] }),
    state: z.enum(['1', '0', '-1']).nullable().meta({
      description:
        '1: granted; 0: not granted; -1: not declared (Android only); null: the SDK module is not installed or the OS is too old',
    }),
  })
  .meta({ id: 'PermissionItem', description: 'Permission and its state' })

const DeviceInfo = z
  .object({
    deviceID: z
      .string()
      .nullable()
      .meta({
        description: 'Identifier of the device; null where the capture has none',
        examples: ['5b1f6f0e-8f3c-4c1e-9f0d-2f6f1b0c7a11'],
      }),
    osVersion: z
      .string()
      .nullable()
      .meta({ description: 'Version of the operating system', examples: ['14'] }),
    brand: z
      .string()
      .nullable()
      .meta({ description: 'Brand of the device', examples: ['samsung'] }),
    model: z
      .string()
      .nullable()
      .meta({ description: 'Model of the device', examples: ['SM-A546E'] }),
  })
  .meta({ id: 'DeviceInfoFragment', description: 'The device of the capture' })

const Velocity = z
  .object({
    isRepeatableUpload: z
      .enum(['0', '1'])
      .meta({ description: '1: the device had more than one dataset so far; otherwise 0' }),
    associatedDatasetsCount: z
      .string()
      .regex(/^\d+$/)
      .meta({ description: 'Position of the dataset among those of the device, from 1', examples: ['1'] }),
  })
  .meta({ id: 'VelocityFragment', description: 'Datasets of the same device' })

const counts = (description: string, example: Readonly<Record<string, string>>) =>
  z
    .record(z.string(), z.string().regex(/^\d+$/).nullable())
    .nullable()
    .meta({ description, examples: [example] })

const WINDOWS = { last10m: '1', last1h: '1', last24h: '1', last7d: '1', last30d: '1' }

const VelocityWindows = z
  .object({
    device: counts('Counts of the device by window; null if the capture has no device', {
      ...{ datasets: '1', clients: '1' },
      ...WINDOWS,
    }),
    client: counts('Counts of the client by window; null until a clientId is saved', {
      ...{ datasets: '1', devices: '1' },
      ...WINDOWS,
    }),
  })
  .meta({
    id: 'VelocityWindowsFragment',
    description: 'Datasets of the same device and client in sliding windows',
  })

const Permissions = z
  .array(PermissionItem)
  .meta({ id: 'PermissionFragment', description: 'The permission catalogue of the platform' })

/** Value of a fragment, depending on its kind. */
const FragmentValue = z
  .union([Permissions, DeviceInfo, Velocity, VelocityWindows])
  .meta({ id: 'FragmentValue', description: 'Value of a fragment, depending on its kind' })

const code = (of: string, example: string) =>
  z.string().meta({ description: `Code of the ${of}`, pattern: CODE_PATTERN, examples: [example] })

export const Score = z
  .object({ code: code('scorecard', 'app_score'), ...SCORE_MEMBERS })
  .meta({ id: 'Score', description: 'Score of the dataset by a deployed scorecard' })

export const Fragment = z
  .object({
    code: code('fragment', 'permission'),
    value: FragmentValue.meta({ description: 'Items of the fragment' }),
  })
  .meta({ id: 'Fragment', description: 'Named part of the insight' })

/** Standard fragments of the example capture for Android. */
const EXAMPLE_FRAGMENTS: z.output<typeof Fragment>[] = [
  {
    code: 'permission',
    value: [
      { permission: 'android.permission.READ_CONTACTS', state: '1' },
      { permission: 'android.permission.READ_SMS', state: '0' },
      { permission: 'android.permission.READ_CALL_LOG', state: '-1' },
    ],
  },
  {
    code: 'device_info',
    value: {
      deviceID: '5b1f6f0e-8f3c-4c1e-9f0d-2f6f1b0c7a11',
      osVersion: '14',
      brand: 'samsung',
      model: 'SM-A546E',
    },
  },
  { code: 'velocity', value: { isRepeatableUpload: '0', associatedDatasetsCount: '1' } },
]

const RequestedDate = Timestamp.meta({ description: 'When the request was received; UTC' })

/** Response body of the insight with a login token. @see the interface document, "Dataset insight" */
export const DatasetInsight = z
  .object({
    datasetInfo: z
      .object({
        referenceNumber: ReferenceNumber,
        uploadDate: Timestamp.meta({ description: 'When the dataset was uploaded; UTC' }),
        source: z.literal([0, 1, 2]).meta({ description: '0 Android, 1 iOS, 2 Web' }),
        collection: z
          .object({ level: CollectionLevel, origin: CollectionOrigin })
          .optional()
          .meta({ id: 'InsightCollection', description: 'Present if a browser collected the dataset' }),
      })
      .meta({ id: 'DatasetInfo', description: 'Dataset of the insight' }),
    requestedDate: RequestedDate,
    requestor: z.string().meta({ description: 'E-mail of the user', examples: ['analyst@lender.example'] }),
    scores: z.array(Score).meta({ description: 'One score per scorecard deployed for the platform' }),
    fragments: z
      .array(Fragment)
      .meta({ description: 'One entry per deployed fragment', examples: [EXAMPLE_FRAGMENTS] }),
  })
  .meta({ id: 'DatasetInsight' })

const Calculated = Timestamp.meta({ description: 'When the insight was calculated; UTC' })

const ScoreInsight = z.object(SCORE_MEMBERS).meta({ id: 'ScoreInsight', description: 'Value of a score' })

/** Response body of the insights with an API key. */
export const InsightsByCode = z
  .object({
    referenceNumber: ReferenceNumber,
    requestedDate: RequestedDate,
    insights: z
      .array(
        z
          .object({
            code: code('scorecard or fragment', 'app_score'),
            value: z
              .union([ScoreInsight, FragmentValue])
              .meta({ description: 'Score of a scorecard, or items of a fragment' }),
            calculatedDate: Calculated,
          })
          .meta({ id: 'Insight', description: 'A score or a fragment' }),
      )
      .meta({
        description: 'Scores, then fragments, of the requested codes',
        examples: [
          [{ code: 'app_score', value: { value: 612, probability: 0.0731 } }, ...EXAMPLE_FRAGMENTS].map(
            (one) => ({
              ...one,
              calculatedDate: '2026-11-20T08:15:30.204118',
            }),
          ),
        ],
      }),
  })
  .meta({ id: 'InsightsByCode' })
