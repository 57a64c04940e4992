import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto'
import { isReference } from './capture-reference.ts'
import { DataKeyError } from './data-key-error.ts'

/** What a sealed value is. Part of what is authenticated: stored, so never renamed. */
export type SealedKind = 'capture' | 'segment' | 'address' | 'info' | 'totp' | 'sso' | 'webhook'

/** The row that a sealed value belongs to: it cannot be opened as a value of another row or kind. */
export interface SealedFor {
  readonly subscriptionId: number
  readonly kind: SealedKind
  /** Reference number, or public id of the collection that the value came with; of a TOTP secret, the id of its user; of the client secret of single sign-on, `client`; of a secret of a webhook, the id of the webhook. */
  readonly name: string
}

/** A version of a subscription's data key. */
export interface DataKey {
  readonly version: number
  readonly key: KeyObject
}

/** A sealed value begins with these bytes, the version of its key (32 bits) and a random nonce, and ends with the tag. */
const MAGIC = Buffer.from([0x8e, 0x49, 0x4b, 0x01])
const NONCE_AT = 8
const NONCE_BYTES = 12
const TEXT_AT = NONCE_AT + NONCE_BYTES
const TAG_BYTES = 16

const CIPHER = 'aes-256-gcm'

const aadOf = ({ subscriptionId, kind, name }: SealedFor) => Buffer.from(`${subscriptionId} ${kind} ${name}`)

/** Sealed values share memory that is allocated in one piece, up to this size: two thirds of the time of a capture. */
const SLAB_BYTES = 1024 * 1024
const MAX_SHARED_BYTES = 128 * 1024

let slab = Buffer.alloc(0)
let slabUsed = 0

function allocate(bytes: number): Buffer {
  if (bytes > MAX_SHARED_BYTES) return Buffer.allocUnsafe(bytes)
  if (slabUsed + bytes > slab.length) {
    slab = Buffer.allocUnsafe(SLAB_BYTES)
    slabUsed = 0
  }
  slabUsed += bytes
  return slab.subarray(slabUsed - bytes, slabUsed)
}

/** Random bytes drawn ahead: one call for many nonces. */
const randoms = Buffer.alloc(4_096 * NONCE_BYTES)
let randomsUsed = randoms.length

/** Writes a nonce that was never used. */
function writeNonce(sealed: Buffer): void {
  if (randomsUsed === randoms.length) {
    randomFillSync(randoms)
    randomsUsed = 0
  }
  randoms.copy(sealed, NONCE_AT, randomsUsed, randomsUsed + NONCE_BYTES)
  randomsUsed += NONCE_BYTES
}

/** Encrypts a value with AES-256-GCM: 36 bytes more. Up to 2^32 values of one key are safe with random nonces. */
export function seal({ version, key }: DataKey, owner: SealedFor, plain: Uint8Array): Buffer {
  const sealed = allocate(TEXT_AT + plain.length + TAG_BYTES)
  MAGIC.copy(sealed)
  sealed.writeUInt32BE(version, MAGIC.length)
  writeNonce(sealed)
  const cipher = createCipheriv(CIPHER, key, sealed.subarray(NONCE_AT, TEXT_AT), { authTagLength: TAG_BYTES })
  cipher.setAAD(aadOf(owner))
  cipher.update(plain).copy(sealed, TEXT_AT)
  cipher.final()
  cipher.getAuthTag().copy(sealed, TEXT_AT + plain.length)
  return sealed
}

/** The version of the key of a sealed value; undefined for one that is stored as it is. */
export const sealedVersion = (stored: Buffer): number | undefined =>
  stored.length >= TEXT_AT + TAG_BYTES && stored.subarray(0, MAGIC.length).equals(MAGIC)
    ? stored.readUInt32BE(MAGIC.length)
    : undefined

/** How values that are sealed with this version begin. */
export function sealedPrefix(version: number): Buffer {
  const prefix = Buffer.alloc(NONCE_AT)
  MAGIC.copy(prefix)
  prefix.writeUInt32BE(version, MAGIC.length)
  return prefix
}

/** Decrypts a sealed value. @throws DataKeyError if it was changed, or belongs to another row. */
export function unseal({ key }: DataKey, owner: SealedFor, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(NONCE_AT, TEXT_AT), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(aadOf(owner))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  const plain = decipher.update(sealed.subarray(TEXT_AT, -TAG_BYTES))
  try {
    decipher.final()
  } catch {
    throw new DataKeyError(
      `A stored value (${owner.kind}, subscription ${owner.subscriptionId}) was changed, or belongs to another row`,
    )
  }
  return plain
}

/**
 * A blob to be stored without encryption. One that begins as sealed values and references do gets a byte before it: it is no gzip either way,
 * and nobody can make his own data pass for sealed, or for that of another dataset.
 */
export const unsealedBlob = (blob: Buffer): Buffer =>
  sealedVersion(blob) === undefined && !isReference(blob) ? blob : Buffer.concat([Buffer.of(0), blob])
