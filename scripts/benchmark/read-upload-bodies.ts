import { readFileSync } from 'node:fs'

/** A line of a file of upload bodies: an upload without its reference number, which differs each time it is sent. */
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

/** The gzip bytes of each upload of a file. */
export function readBlobs(file: string): Buffer[] {
  return readUploadBodies(file).map(({ data }) => Buffer.from(data, 'base64'))
}
