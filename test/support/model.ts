import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { ProblemCode } from '../../api/http/problem.ts'
import type { AdditionalInfo } from '../../db/datasets/datasets.ts'
import { aCapture, encode } from './captures.ts'
import type { Answer } from './client.ts'

/** Data for uploads; each name stands for different bytes. */
export interface Sample {
  readonly name: string
  /** `unreadable` data is accepted and then invalid; data that is `not base64` is refused. */
  readonly kind: 'capture' | 'unreadable' | 'not base64'
  /** undefined if the capture has none. */
  readonly deviceId?: string
}

/** A call that a client may make. */
export type ModelCall = { readonly referenceNumber: string } & (
  | { readonly does: 'upload'; readonly sample: Sample; readonly info: AdditionalInfo | undefined }
  | { readonly does: 'assign'; readonly info: AdditionalInfo }
  | { readonly does: 'read'; readonly by: 'token' | 'key' }
)

export const SAMPLES: readonly Sample[] = [
  ...['A', 'B', 'C', 'D'].map((name): Sample => ({ name, kind: 'capture', deviceId: 'phone-1' })),
  ...['E', 'F'].map((name): Sample => ({ name, kind: 'capture', deviceId: 'phone-2' })),
  { name: 'G', kind: 'capture' },
  { name: 'H', kind: 'unreadable' },
]
const NOT_BASE64: Sample = { name: '{}', kind: 'not base64' }

export function dataOf({ name, kind, deviceId }: Sample): string {
  if (kind === 'capture') return encode(aCapture({ device: { id: deviceId, model: name } }))
  return kind === 'unreadable' ? Buffer.from(`no gzip ${name}`).toString('base64') : name
}

/** Each sample has its own reference number, under which it is mostly sent. */
export const referenceOf = ({ name }: Sample) => `LN-${name}`

const arbitraryInfo = fc
  .record(
    { clientId: fc.constantFrom('ann', 'bob'), branch: fc.constantFrom('north', 'south') },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((info) => Object.keys(info).length > 0)

const arbitrarySample = fc.constantFrom(...SAMPLES)
const arbitraryReference = arbitrarySample.map(referenceOf)

const arbitraryUpload = fc
  .record({
    sample: arbitrarySample,
    other: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(NOT_BASE64, ...SAMPLES) },
    ),
    info: fc.option(arbitraryInfo, { nil: undefined, freq: 2 }),
  })
  .map(({ sample, other, info }): ModelCall => {
    return { does: 'upload', referenceNumber: referenceOf(sample), sample: other ?? sample, info }
  })

const arbitraryAssignment: fc.Arbitrary<ModelCall> = fc.record({
  does: fc.constant('assign'),
  referenceNumber: arbitraryReference,
  info: arbitraryInfo,
})

const arbitraryRead: fc.Arbitrary<ModelCall> = fc.record({
  does: fc.constant('read'),
  referenceNumber: arbitraryReference,
  by: fc.constantFrom('token', 'key'),
})

const arbitraryCall = fc.oneof(
  { weight: 4, arbitrary: arbitraryUpload },
  { weight: 2, arbitrary: arbitraryAssignment },
  { weight: 3, arbitrary: arbitraryRead },
)

/** Calls of concurrent clients, each of which makes its calls sequentially. */
export const arbitraryClients = fc.array(
  fc.array(arbitraryCall, { minLength: 1, maxLength: 12, size: 'max' }),
  { minLength: 3, maxLength: 8, size: 'max' },
)

/** A call and its response. Its times are of a logical clock, which ticks whenever a call begins or ends. */
export interface AnsweredCall {
  readonly call: ModelCall
  readonly answer: Answer
  readonly beganAt: number
  readonly endedAt: number
}

/** Dataset of a reference number, after an upload of it was accepted. */
export interface ModelDataset {
  readonly sample: Sample
  readonly uploadDate: string
  readonly info: AdditionalInfo
}

export type Outcome = ProblemCode | 'ok'

export const outcomeOf = ({ status, body }: Answer): Outcome => (status === 200 ? 'ok' : body.title)

/** Returns the documented outcome of a call on this dataset, or on none, without concurrent calls. */
function expectedOutcome(call: ModelCall, dataset: ModelDataset | undefined): Outcome {
  if (call.does === 'upload') {
    if (call.sample.kind === 'not base64') return 'validation_failed'
    if (!dataset) return 'ok'
    if (call.sample.name !== dataset.sample.name) return 'reference_number_taken'
  }
  if (!dataset) return 'dataset_not_found'
  if (call.does === 'read') return dataset.sample.kind === 'capture' ? 'ok' : 'dataset_invalid'
  return contradicts(call.info ?? {}, dataset.info) ? 'additional_info_conflict' : 'ok'
}

const contradicts = (info: AdditionalInfo, saved: AdditionalInfo): boolean =>
  Object.keys(info).some((key) => key in saved && saved[key] !== info[key])

/** Returns the dataset after the call; false if the response is impossible for a call on this dataset. */
function applyCall(
  dataset: ModelDataset | undefined,
  { call, answer }: AnsweredCall,
): ModelDataset | undefined | false {
  const outcome = expectedOutcome(call, dataset)
  if (outcome !== outcomeOf(answer)) return false
  if (outcome !== 'ok') return dataset
  const {
    referenceNumber,
    uploadDate = dataset?.uploadDate,
    additionalInfo,
  } = answer.body.datasetInfo ?? answer.body
  if (referenceNumber !== call.referenceNumber) return false
  if (dataset && dataset.uploadDate !== uploadDate) return false
  if (call.does === 'read') return dataset

  const info = { ...dataset?.info, ...call.info }
  if (call.does === 'upload') return { sample: call.sample, uploadDate, info }
  return dataset && isDeepStrictEqual(additionalInfo, info) && { ...dataset, info }
}

/**
 * Whether the calls for one reference number, made sequentially in some order, have these responses and result in
 * this dataset. A call that ended before another began precedes it in that order.
 *
 * @see Herlihy and Wing, Linearizability: a correctness condition for concurrent objects
 */
export function isExplained(
  calls: readonly AnsweredCall[],
  end: ModelDataset | undefined,
  start?: ModelDataset,
): boolean {
  if (calls.length === 0) return isDeepStrictEqual(start, end)
  const firstEndedAt = Math.min(...calls.map(({ endedAt }) => endedAt))
  return calls.some((first) => {
    if (first.beganAt > firstEndedAt) return false
    const next = applyCall(start, first)
    return (
      next !== false &&
      isExplained(
        calls.filter((call) => call !== first),
        end,
        next,
      )
    )
  })
}
