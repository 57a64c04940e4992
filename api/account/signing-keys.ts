import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Logger } from 'pino'
import type { Db } from '../../db/database.ts'
import { keepFirstTokenKey, listTokenKeys, type PrivateJwk } from '../../db/token-keys.ts'

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
  await keepFirstTokenKey(db, await makeSigningKey())
  return keptSigningKeys(db, log)
}

/** Keys that stay: the first one signs, all verify, so that a new one can be put in front without logging anyone out. */
export async function fixedSigningKeys(privateJwks: readonly PrivateJwk[]): Promise<SigningKeys> {
  const [first] = privateJwks
  if (!first) throw new Error('There is no key to sign tokens with')
  const keys = await readKeys(privateJwks, first)
  return { current: async () => keys.current, find: async (kid) => keys.byKid.get(kid) }
}

/** A rotated or removed key is noticed within this. */
const BELIEVED_MS = 10_000

/** An unknown key is looked up at once, but no more often: whoever makes up key ids costs a query a second. */
const UNKNOWN_BELIEVED_MS = 1_000

/** Keys of the database, as they are rotated there. */
function keptSigningKeys(db: Db, log: Logger): SigningKeys {
  let latest: { readonly at: number; readonly keys: Promise<Keys> } | undefined
  let signer: string | undefined

  async function read(): Promise<Keys> {
    const kept = await listTokenKeys(db)
    const jwks = kept.map(({ jwk }) => jwk)
    // the very first one signs at once, since nobody else's tokens are out
    const first = kept.find(({ signs }) => signs)?.jwk ?? jwks.at(-1)
    if (!first) throw new Error('The database keeps no key to sign tokens with: start web anew')
    const keys = await readKeys(jwks, first)
    if (signer !== undefined && signer !== first.kid) log.info({ kid: first.kid }, 'a new key signs tokens')
    signer = first.kid
    return keys
  }

  function keysOf(believedMs: number): Promise<Keys> {
    if (!latest || performance.now() - latest.at > believedMs) {
      const reading = { at: performance.now(), keys: read() }
      latest = reading
      reading.keys.catch(() => {
        if (latest === reading) latest = undefined
      })
    }
    return latest.keys
  }

  return {
    current: async () => (await keysOf(BELIEVED_MS)).current,
    find: async (kid) =>
      (await keysOf(BELIEVED_MS)).byKid.get(kid) ?? (await keysOf(UNKNOWN_BELIEVED_MS)).byKid.get(kid),
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
