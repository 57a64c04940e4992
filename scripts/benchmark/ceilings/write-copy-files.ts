import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { referenceOf } from '../load/load-plan.ts'
import { readUploadBodies } from '../read-upload-bodies.ts'

/** The columns that an upload fills, in the order of the file. */
export const COPIED_COLUMNS =
  'subscription_id, reference_number, data_hash, blob, real_ip, additional_info, ring_at'

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const TRAILER = Buffer.from([0xff, 0xff])
const JSONB_VERSION = 1
const MICROSECONDS_TO_2000 = 946_684_800_000_000n

/**
 * Writes files for `\copy … with (format binary)`, one per connection.
 *
 * @see the PostgreSQL manual, COPY, "Binary Format"
 */
export function writeCopyFiles(
  uploads: string,
  { count, subscriptionId, files }: { count: number; subscriptionId: number; files: readonly string[] },
): void {
  const bodies = readUploadBodies(uploads)
  const rows = Array.from({ length: count }, (_, n) => {
    const { data, realIp, additionalInfo } = bodies[n % bodies.length] ?? {
      data: '',
      realIp: '',
      additionalInfo: {},
    }
    return rowOf([
      int32(subscriptionId),
      Buffer.from(referenceOf('copy', n)),
      createHash('sha256').update(data).digest(),
      Buffer.from(data, 'base64'),
      Buffer.from(realIp),
      Buffer.concat([Buffer.of(JSONB_VERSION), Buffer.from(JSON.stringify(additionalInfo))]),
      int64(BigInt(Date.now()) * 1_000n - MICROSECONDS_TO_2000),
    ])
  })
  const each = Math.ceil(count / files.length)
  for (const [at, file] of files.entries())
    writeFileSync(file, Buffer.concat([SIGNATURE, ...rows.slice(at * each, (at + 1) * each), TRAILER]))
}

function rowOf(values: readonly Buffer[]): Buffer {
  return Buffer.concat([int16(values.length), ...values.flatMap((value) => [int32(value.length), value])])
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}
