import { gunzipSync } from 'node:zlib'
import type { Capture, Platform } from '../../db/capture/capture.ts'
import { CaptureError } from '../../worker/capture/capture-error.ts'
import { DECODE_BOUNDS, decodeCapture } from '../../worker/capture/decode-capture.ts'
import { listCaptureIssues } from '../../worker/capture/parse-capture.ts'
import { checkStores, type StoreResult } from './check-stores.ts'
import { jsonPointer } from './json-pointer.ts'
import { type FeatureList, listFeatures } from './list-features.ts'
import { type IgnoredMember, listIgnored } from './list-ignored.ts'
import { type CaptureWeight, measureSize } from './measure-size.ts'
import type { Encoding, FoundCapture } from './recognise-captures.ts'

/** An error of a capture, for which its dataset would become invalid. */
export interface CaptureFault {
  /** JSON pointer; empty for the capture as a whole. */
  readonly pointer: string
  readonly message: string
}

/** A valid capture, with what the service makes of it. */
export interface ValidReport extends FeatureList {
  readonly name: string
  readonly valid: true
  readonly encoding: Encoding
  readonly platform: Platform
  readonly ignored: readonly IgnoredMember[]
  readonly size: CaptureWeight
  readonly stores: readonly StoreResult[]
}

export interface InvalidReport {
  readonly name: string
  readonly valid: false
  /** Error code of the dataset; null if there is no capture that could be uploaded. */
  readonly code: string | null
  readonly faults: readonly CaptureFault[]
  /** Faults beyond the first 100. */
  readonly more: number
}

export type CaptureReport = ValidReport | InvalidReport

/** More faults are only counted. */
const MAX_FAULTS = 100

/** Checks one capture as the service does after its upload. */
export function checkCapture(name: string, found: FoundCapture, declared: readonly string[]): CaptureReport {
  if ('error' in found)
    return { name, valid: false, code: null, faults: [{ pointer: '', message: found.error }], more: 0 }
  const { blob, encoding } = found
  let capture: Capture
  try {
    capture = decodeCapture(blob)
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error
    const faults = listFaults(error, blob)
    return {
      name,
      valid: false,
      code: error.code,
      faults: faults.slice(0, MAX_FAULTS),
      more: Math.max(0, faults.length - MAX_FAULTS),
    }
  }
  return {
    name,
    valid: true,
    encoding,
    platform: capture.platform,
    ...listFeatures(capture),
    ignored: listIgnored(capture),
    size: measureSize(capture, blob),
    stores: checkStores(capture, declared),
  }
}

/** Errors of the schema by their places; any other error concerns the capture as a whole. */
function listFaults(error: CaptureError, blob: Buffer): CaptureFault[] {
  if (error.code === 'not_a_capture' || error.code === 'unsupported_format') {
    const json = gunzipSync(blob, { maxOutputLength: DECODE_BOUNDS.maxInflatedBytes }).toString('utf8')
    return listCaptureIssues(JSON.parse(json)).map(({ path, message }) => ({
      pointer: jsonPointer(path),
      message,
    }))
  }
  const { cause } = error
  const detail = cause instanceof Error ? ` (${cause.message})` : ''
  return [{ pointer: '', message: error.message + detail }]
}
