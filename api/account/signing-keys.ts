import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Logger } from 'pino'
import { listTokenKeys, type PrivateJwk, saveFirstTokenKey } from '../../db/accounts/token-keys.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Of every login token; nothing else is signed or accepted. @see RFC 8037 */
export const ALGORITHM = 'EdDSA'

/** The keys of login tokens. Throws what kept it from asking for them. */
export interface SigningKeys {
  /** The private key that signs now. */
  current(): Promise<{ readonly kid: string; readonly key: CryptoKey }>
  /** The public key of this id; undefined where there is none. */
  find(kid: string): Promise<CryptoKey | undefined>
}

/** Makes an Ed25519 key pair for signing, as a private JSON Web Key. */
export async function makeSigningKey(): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true, crv: 'Ed25519' })
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: ALGORITHM, use: 'sig' }
}

/**
 * The configured keys or, where there are none, those kept in the database, after keeping a first one.
 *
 * @throws when the keys are in the database, and it is away.
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

/** Keys that stay: the first one signs, all verify, so that a new one can be put in front without logging anyone out. */
export async function fixedSigningKeys(privateJwks: readonly PrivateJwk[]): Promise<SigningKeys> {
  const [first] = privateJwks
  if (!first) throw new Error('There is no key to sign tokens with')
  const keys = await readKeys(privateJwks, first)
  return { current: async () => keys.current, find: async (kid) => keys.byKid.get(kid) }
}

/** Keys are read anew after this, while those that are known go on being used. */
const FRESH_MS = 3_000

/** Nobody uses keys that were read longer ago: a removed one is refused after this and the time that callers are believed. */
const BELIEVED_MS = 6_000

/** An unknown key is looked up at once, but no more often: whoever makes up key ids costs a query a second. */
const UNKNOWN_BELIEVED_MS = 1_000

/** Keys of the database, as they are rotated there. */
function storedSigningKeys(db: Db, log: Logger): SigningKeys {
  let known: { readonly at: number; readonly keys: Keys } | undefined
  let latest: { readonly at: number; readonly reading: Promise<Keys> } | undefined
  let signer: string | undefined

  async function read(): Promise<Keys> {
    const at = performance.now()
    const kept = await listTokenKeys(db)
    const jwks = kept.map(({ jwk }) => jwk)
    // the very first one signs at once, since nobody else's tokens are out
    const first = kept.find(({ signs }) => signs)?.jwk ?? jwks.at(-1)
    if (!first) throw new Error('The database keeps no key to sign tokens with: start web anew')
    const keys = await readKeys(jwks, first)
    if (known && known.at > at) return known.keys // a later reading was faster
    known = { at, keys }
    if (signer !== undefined && signer !== first.kid) log.info({ kid: first.kid }, 'a new key signs tokens')
    signer = first.kid
    return keys
  }

  /** Keys by a reading that began so long ago at most. */
  function readSince(ms: number): Promise<Keys> {
    if (!latest || performance.now() - latest.at > ms) {
      const begun = { at: performance.now(), reading: read() }
      latest = begun
      begun.reading.catch(() => {
        if (latest === begun) latest = undefined // who waits hears of it, and the next one tries again
      })
    }
    return latest.reading
  }

  /** Without waiting, while what is known may be believed. */
  function keysNow(): Keys | Promise<Keys> {
    const age = known ? performance.now() - known.at : Number.POSITIVE_INFINITY
    if (!known || age > BELIEVED_MS) return readSince(BELIEVED_MS)
    if (age > FRESH_MS) void readSince(FRESH_MS)
    return known.keys
  }

  return {
    current: async () => (await keysNow()).current,
    find: async (kid) =>
      (await keysNow()).byKid.get(kid) ?? (await readSince(UNKNOWN_BELIEVED_MS)).byKid.get(kid),
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
