import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { DataKeyError } from './data-key-error.ts'

/** A key of `DATA_ENCRYPTION_KEYS`, with which the data keys of subscriptions are wrapped. */
export interface WrappingKey {
  readonly kid: string
  readonly key: KeyObject
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Bytes of every key here: AES-256, and secrets of HMAC-SHA-256. */
export const KEY_BYTES = 32

const Jwk = z.object({
  kty: z.literal('oct'),
  kid: z.string().min(1).max(100),
  k: z
    .string()
    .regex(/^[\w-]+$/)
    .refine((k) => Buffer.from(k, 'base64url').length === KEY_BYTES),
})

const ADVICE = 'create one with: scripts/admin data-key create'

const jwkSet = z.string({ error: `is required in production; ${ADVICE}` }).transform((value, context) => {
  try {
    const { keys } = z.object({ keys: z.array(Jwk).min(1) }).parse(JSON.parse(value))
    if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new Error('two keys have one kid')
    return keys
  } catch {
    context.addIssue({
      code: 'custom',
      message: `must be a JSON Web Key Set of symmetric keys (oct) of 32 bytes, each with its own kid; ${ADVICE}`,
    })
    return z.NEVER
  }
})

/** A wrapping key as a JSON Web Key. @see RFC 7518, section 6.4 */
export type WrappingJwk = z.output<typeof Jwk>

export const makeWrappingJwk = (): WrappingJwk => ({
  kty: 'oct',
  kid: crypto.randomUUID(),
  k: randomBytes(KEY_BYTES).toString('base64url'),
})

/**
 * The variable that has the wrapping keys: the first one wraps, all of them unwrap. Required where `NODE_ENV` is `production`; elsewhere data
 * is stored as it is without it.
 */
export const encryptionVariables = (env: NodeJS.ProcessEnv) => ({
  DATA_ENCRYPTION_KEYS: env.NODE_ENV === 'production' ? jwkSet : jwkSet.optional(),
})

/** As `encryptionVariables`, for commands: never required. */
export const optionalEncryptionVariables = { DATA_ENCRYPTION_KEYS: jwkSet.optional() }

/** The wrapping keys of the environment; none if it has none. */
export const wrappingKeysOf = (jwks: readonly WrappingJwk[] | undefined): WrappingKey[] =>
  (jwks ?? []).map(({ kid, k }) => ({ kid, key: createSecretKey(Buffer.from(k, 'base64url')) }))

/** What a wrapped key belongs to: it cannot be unwrapped as another one. */
export interface WrappedFor {
  readonly subscriptionId: number
  readonly use: 'data' | 'velocity'
  readonly version: number
}

const aadOf = ({ subscriptionId, use, version }: WrappedFor) =>
  Buffer.from(`${subscriptionId} ${use} ${version}`)

/** Encrypts a key under a wrapping key: nonce, ciphertext and tag. */
export function wrapKey({ key }: WrappingKey, owner: WrappedFor, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(aadOf(owner))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts a wrapped key with the one of the wrapping keys that has this id. @throws DataKeyError if none does, or it is another key. */
export function unwrapKey(
  keys: readonly WrappingKey[],
  kid: string,
  owner: WrappedFor,
  wrapped: Buffer,
): Buffer {
  const found = keys.find((key) => key.kid === kid)
  if (!found)
    throw new DataKeyError(
      `DATA_ENCRYPTION_KEYS has no key ${kid}, which wraps the keys of subscription ${owner.subscriptionId}`,
    )
  try {
    const decipher = createDecipheriv(CIPHER, found.key, wrapped.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(aadOf(owner))
      .setAuthTag(wrapped.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(wrapped.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    throw new DataKeyError(
      `The key ${kid} of DATA_ENCRYPTION_KEYS is not the one that wrapped the keys of subscription ${owner.subscriptionId}`,
    )
  }
}
