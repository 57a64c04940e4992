import { gzipSync } from 'node:zlib'

type JsonObject = Record<string, unknown>

/** Returns a small capture; `members` replace its members of the same name. */
export function aCapture(members: JsonObject = {}): JsonObject {
  return {
    format: 'capture/1',
    platform: 'android',
    collectedAt: '2026-11-20T08:15:30.123Z',
    sdk: { version: '4.1.0', modules: ['core', 'contact'] },
    device: { id: 'device-1', brand: 'samsung', model: 'SM-A546E', osVersion: '14', apiLevel: 34 },
    permissions: [{ name: 'android.permission.READ_CONTACTS', declared: true, granted: true }],
    ...members,
  }
}

/** Encodes a value as the `data` of an upload: base64 of gzip of its JSON. */
export const encode = (capture: unknown): string => encodeText(JSON.stringify(capture))

export const encodeText = (json: string | Uint8Array): string => gzipSync(json).toString('base64')

let uploads = 0

/** Returns the body of an upload of a capture, with a unique reference number. */
export function anUpload(
  capture: JsonObject = aCapture(),
  members: JsonObject = {},
): JsonObject & { referenceNumber: string } {
  return { referenceNumber: `LN-${process.pid}-${++uploads}`, data: encode(capture), ...members }
}
