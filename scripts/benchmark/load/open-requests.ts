import { readFileSync } from 'node:fs'
import { type Requests, referenceOf, scatteredReference } from './load-plan.ts'
import { openSegments } from './write-segments.ts'
import type { WriteRequests } from './written-request.ts'

const files = new Map<string, Buffer[]>()

/** Prepares the requests of a plan. Bodies are read once and sent without copying; only the reference number changes. */
export function openRequests(requests: Requests): WriteRequests {
  if (requests.kind === 'uploads') return openUploads(requests)
  if (requests.kind === 'segments') return openSegments(requests.collections)
  const heads = requests.tokens.map(headOfRead)
  const headOf = (n: number) => heads[n % heads.length] ?? ''
  if (requests.kind === 'get') {
    const { paths } = requests
    return (n) => [[`GET ${paths[n % paths.length]}${headOf(n)}`]]
  }
  const { prefix, count } = requests
  return (n) => [[startOfRead(referenceOf(prefix, n % count)) + headOf(n)]]
}

const startOfRead = (reference: string) => `GET /v6.0/datasets/${reference}/datasetinsight`

const headOfRead = (token: string) => ` HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`

function openUploads({
  file,
  key,
  prefix,
  thenReadBy,
  scattered = false,
}: Extract<Requests, { kind: 'uploads' }>): WriteRequests {
  const bodies = readBodies(file)
  const start = '{"referenceNumber":"'
  const name = scattered ? scatteredReference : referenceOf
  const sample = name(prefix, 0)
  const heads = bodies.map(
    (rest) =>
      `POST /api/datasets/v1/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${start.length + sample.length + rest.length}\r\n\r\n${start}`,
  )
  return (n) => {
    const at = n % bodies.length
    const reference = name(prefix, n)
    const upload = [(heads[at] ?? '') + reference, bodies[at] ?? '']
    return thenReadBy === undefined ? [upload] : [upload, [startOfRead(reference) + headOfRead(thenReadBy)]]
  }
}

/** Converts each line `{"data":…}` to `","data":…}`, which follows the reference number. */
function readBodies(file: string): Buffer[] {
  const known = files.get(file)
  if (known) return known
  const bodies = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => Buffer.from(`",${line.slice(1)}`))
  files.set(file, bodies)
  return bodies
}
