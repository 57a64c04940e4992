import { readFileSync } from 'node:fs'

/** A line of a file of upload bodies: an upload without reference number, which is added when it is sent. */
export interface UploadBody {
  readonly data: string
  readonly realIp: string
  readonly additionalInfo: Readonly<Record<string, string>>
}

export function readUploadBodies(file: string): UploadBody[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Reads the gzip bytes of each upload in a file. */
export function readBlobs(file: string): Buffer[] {
  return readUploadBodies(file).map(({ data }) => Buffer.from(data, 'base64'))
}
