import { gunzipSync, gzipSync } from 'node:zlib'
import { DEFAULT_MAX_BODY_BYTES } from '../../api/config.ts'
import type { Capture } from '../../db/capture/capture.ts'
import { CAPTURE_BOUNDS } from '../../db/capture/scalars.ts'
import { DECODE_BOUNDS } from '../../worker/capture/decode-capture.ts'

/** What a capture weighs, and what would make it lighter. */
export interface CaptureWeight {
  readonly jsonBytes: number
  readonly gzipBytes: number
  /** As `data` of an upload. */
  readonly base64Bytes: number
  readonly limits: { readonly jsonBytes: number; readonly bodyBytes: number; readonly events: number }
  /** The heaviest members and types of event, by their JSON. */
  readonly heaviest: readonly { readonly part: string; readonly bytes: number; readonly share: number }[]
  readonly advice: readonly string[]
}

/** Most captures are smaller: 15 to 25 KB of base64 is typical, 150 to 300 KB is large. */
const LARGE_BASE64_BYTES = 300_000

/** Smaller savings are not worth a line. */
const MIN_SAVED_SHARE = 0.05
const MIN_SAVED_BYTES = 200

/** Measures a capture and the blob that it was decoded from. */
export function measureSize(capture: Capture, blob: Buffer): CaptureWeight {
  const jsonBytes = gunzipSync(blob).length
  const base64Bytes = base64Length(blob.length)
  return {
    jsonBytes,
    gzipBytes: blob.length,
    base64Bytes,
    limits: {
      jsonBytes: DECODE_BOUNDS.maxInflatedBytes,
      bodyBytes: DEFAULT_MAX_BODY_BYTES,
      events: CAPTURE_BOUNDS.events,
    },
    heaviest: listHeaviest(capture),
    advice: [
      ...adviseOnLimits(capture, jsonBytes, base64Bytes),
      ...adviseOnEncoding(capture, blob, jsonBytes),
    ],
  }
}

const base64Length = (bytes: number) => Math.ceil(bytes / 3) * 4

const jsonLength = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '')

function listHeaviest(capture: Capture): CaptureWeight['heaviest'] {
  const { behaviour, ...sections } = capture
  const events = Map.groupBy(behaviour?.events ?? [], ({ type }) => type)
  const parts = [
    ...Object.entries(sections).map(([name, value]) => [name, jsonLength(value)] as const),
    ...[...events].map(([type, some]) => [`behaviour.events ${type}`, jsonLength(some)] as const),
  ]
  const total = jsonLength(capture)
  return parts
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 5)
    .map(([part, bytes]) => ({ part, bytes, share: bytes / total }))
}

function adviseOnLimits({ behaviour }: Capture, jsonBytes: number, base64Bytes: number): string[] {
  const advice: string[] = []
  const near = (share: number, thing: string) => {
    if (share > 0.8)
      advice.push(`${Math.round(share * 100)} % of the limit of ${thing}: record less, or stop earlier`)
  }
  near((behaviour?.events.length ?? 0) / CAPTURE_BOUNDS.events, 'events')
  near(jsonBytes / DECODE_BOUNDS.maxInflatedBytes, 'inflated bytes')
  near(base64Bytes / DEFAULT_MAX_BODY_BYTES, 'bytes of an upload')
  if (base64Bytes > LARGE_BASE64_BYTES)
    advice.push(
      'Larger than usual: 15 to 25 KB of base64 is typical. Record pointer moves and sensors less often',
    )
  return advice
}

/** Tries each change of the encoding and advises those that save 5 % and 200 bytes. */
function adviseOnEncoding(capture: Capture, blob: Buffer, jsonBytes: number): string[] {
  const compact = JSON.stringify(capture)
  const zipped = gzipSync(compact).length
  const advice: string[] = []
  const compare = (before: number, after: number, change: string) => {
    const saved = before - after
    if (saved >= MIN_SAVED_BYTES && saved >= before * MIN_SAVED_SHARE)
      advice.push(`${change}: saves ${saved} of ${before} bytes`)
  }
  compare(jsonBytes, Buffer.byteLength(compact), 'Write JSON without white space')
  compare(blob.length, zipped, 'Compress with gzip level 6')
  compare(zipped, gzipSync(JSON.stringify(capture, withoutNulls)).length, 'Leave out members that are null')
  compare(
    zipped,
    gzipSync(JSON.stringify(capture, rounded)).length,
    'Round numbers to 2 decimals, times to whole milliseconds',
  )
  return advice
}

const withoutNulls = (_: string, value: unknown) => (value === null ? undefined : value)

const rounded = (name: string, value: unknown) =>
  typeof value === 'number'
    ? /^t$|Ms$/.test(name)
      ? Math.round(value)
      : Math.round(value * 100) / 100
    : value
