import { randomBytes } from 'node:crypto'
import { raw } from '../postgres/sql.ts'

/**
 * The column `blob` of a dataset whose capture is an object in object storage: these bytes, the version of the data key that the object is
 * sealed with (32 bits; 0 without encryption), the id of the object, and its length (32 bits).
 */
const MAGIC = Buffer.from([0x8e, 0x49, 0x4b, 0x02])
const VERSION_AT = MAGIC.length
const ID_AT = 8
const ID_BYTES = 16
const LENGTH_AT = ID_AT + ID_BYTES

/** Bytes of a reference. Part of an index and of a trigger: never changed. */
export const REFERENCE_BYTES = LENGTH_AT + 4

/** An object in object storage. */
export interface CaptureReference {
  /** A UUID of version 7: it begins with the time at which the object was written. */
  readonly id: Buffer
  /** Of the data key that it is sealed with; 0 if it is not. */
  readonly keyVersion: number
  /** Bytes of the object. */
  readonly length: number
}

/** Whether a stored blob refers to an object. */
export const isReference = (stored: Buffer): boolean =>
  stored.length === REFERENCE_BYTES && stored.subarray(0, MAGIC.length).equals(MAGIC)

/** The bytes that a row's `blob` stands for, wherever they are, as a part of a statement: Postgres knows the length of a stored value. */
export const BLOB_BYTES = raw(`case
  when octet_length(blob) = ${REFERENCE_BYTES} and substr(blob, 1, ${MAGIC.length}) = '\\x${MAGIC.toString('hex')}'
  then (get_byte(blob, 24)::bigint << 24) + (get_byte(blob, 25) << 16) + (get_byte(blob, 26) << 8) + get_byte(blob, 27)
  else octet_length(blob) end`)

/** Writes a reference, as it is stored. */
export function writeReference({ id, keyVersion, length }: CaptureReference): Buffer {
  const stored = Buffer.alloc(REFERENCE_BYTES)
  MAGIC.copy(stored)
  stored.writeUInt32BE(keyVersion, VERSION_AT)
  id.copy(stored, ID_AT)
  stored.writeUInt32BE(length, LENGTH_AT)
  return stored
}

/** Reads a stored reference; undefined if the blob is none. */
export const readReference = (stored: Buffer): CaptureReference | undefined =>
  isReference(stored)
    ? {
        id: stored.subarray(ID_AT, LENGTH_AT),
        keyVersion: stored.readUInt32BE(VERSION_AT),
        length: stored.readUInt32BE(LENGTH_AT),
      }
    : undefined

/** How references to objects that are sealed with this version begin. */
export const referencePrefix = (keyVersion: number): Buffer =>
  writeReference({ id: Buffer.alloc(ID_BYTES), keyVersion, length: 0 }).subarray(0, ID_AT)

/** Makes the id of a new object. @see RFC 9562, section 5.7 */
export function makeObjectId(now = Date.now()): Buffer {
  const id = randomBytes(ID_BYTES)
  id.writeUIntBE(now, 0, 6)
  id[6] = 0x70 | ((id[6] ?? 0) & 0x0f)
  id[8] = 0x80 | ((id[8] ?? 0) & 0x3f)
  return id
}
