import type { CryptoKey, JWK } from 'jose'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'
import type { Logger } from 'pino'
import { listTokenKeys, type PrivateJwk, saveFirstTokenKey } from '../../db/accounts/token-keys.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Signature algorithm of login tokens; no other is signed or accepted. @see RFC 8037 */
export const ALGORITHM = 'EdDSA'

/** Signing keys of login tokens. @throws when the database that stores them is unavailable. */
export interface SigningKeys {
  /** The private key that signs new tokens. */
  current(): Promise<{ readonly kid: string; readonly key: CryptoKey }>
  /** The public key with this id, or undefined. */
  find(kid: string): Promise<CryptoKey | undefined>
}

/** Creates an Ed25519 key pair for signing, as a private JSON Web Key. */
export async function makeSigningKey(): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true, crv: 'Ed25519' })
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: ALGORITHM, use: 'sig' }
}

/**
 * Opens the configured keys or, without any, those stored in the database; stores a first one if there is none.
 *
 * @throws when the keys are in the database and it is unavailable.
 */
export async function openSigningKeys(
  db: Db,
  configured: readonly PrivateJwk[] | undefined,
  log: Logger,
): Promise<SigningKeys> {
  if (configured) return fixedSigningKeys(configured)
  await saveFirstTokenKey(db, await makeSigningKey())
  return storedSigningKeys(db, log)
}

/** Fixed keys: the first one signs, all verify, so that a new key can be put first without ending sessions. */
export async function fixedSigningKeys(privateJwks: readonly PrivateJwk[]): Promise<SigningKeys> {
  const [first] = privateJwks
  if (!first) throw new Error('No key to sign tokens with')
  const keys = await readKeys(privateJwks, first)
  return { current: async () => keys.current, find: async (kid) => keys.byKid.get(kid) }
}

/** Age at which keys are reloaded in the background, while the cached ones stay in use. */
const RELOAD_MS = 3_000

/** Maximum age of keys in use. A removed key is rejected after this time plus the cache time of credentials. */
const MAX_AGE_MS = 6_000

/** Minimum interval of lookups of unknown key ids: made-up key ids cost at most one query per second. */
const UNKNOWN_KEY_MS = 1_000

/** Keys in the database, reloaded to follow rotations. */
function storedSigningKeys(db: Db, log: Logger): SigningKeys {
  let cached: { readonly at: number; readonly keys: Keys } | undefined
  let latest: { readonly at: number; readonly reading: Promise<Keys> } | undefined
  let signer: string | undefined

  async function read(): Promise<Keys> {
    const at = performance.now()
    const stored = await listTokenKeys(db)
    const jwks = stored.map(({ jwk }) => jwk)
    // the very first key signs at once, since no other key has issued tokens
    const first = stored.find(({ signs }) => signs)?.jwk ?? jwks.at(-1)
    if (!first) throw new Error('The database has no key to sign tokens with: restart web')
    const keys = await readKeys(jwks, first)
    if (cached && cached.at > at) return cached.keys // a later read finished first
    cached = { at, keys }
    if (signer !== undefined && signer !== first.kid) log.info({ kid: first.kid }, 'a new key signs tokens')
    signer = first.kid
    return keys
  }

  /** Returns keys from a read that started at most `ms` ago. */
  function readSince(ms: number): Promise<Keys> {
    if (!latest || performance.now() - latest.at > ms) {
      const started = { at: performance.now(), reading: read() }
      latest = started
      started.reading.catch(() => {
        if (latest === started) latest = undefined // callers get the error, and the next call retries
      })
    }
    return latest.reading
  }

  /** Returns the cached keys synchronously while they are recent enough. */
  function keysNow(): Keys | Promise<Keys> {
    const age = cached ? performance.now() - cached.at : Number.POSITIVE_INFINITY
    if (!cached || age > MAX_AGE_MS) return readSince(MAX_AGE_MS)
    if (age > RELOAD_MS) void readSince(RELOAD_MS)
    return cached.keys
  }

  return {
    current: async () => (await keysNow()).current,
    find: async (kid) => (await keysNow()).byKid.get(kid) ?? (await readSince(UNKNOWN_KEY_MS)).byKid.get(kid),
  }
}

interface Keys {
  readonly current: { readonly kid: string; readonly key: CryptoKey }
  readonly byKid: ReadonlyMap<string, CryptoKey>
}

async function readKeys(privateJwks: readonly PrivateJwk[], first: PrivateJwk): Promise<Keys> {
  const publicKeys = privateJwks.map(
    async ({ d, ...publicJwk }) => [publicJwk.kid, await importKey(publicJwk)] as const,
  )
  return {
    current: { kid: first.kid, key: await importKey(first) },
    byKid: new Map(await Promise.all(publicKeys)),
  }
}

const importKey = (jwk: object) => importJWK(jwk as JWK, ALGORITHM) as Promise<CryptoKey>
