import { createSecretKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Db } from '../postgres/database.ts'
import { isReference } from './capture-reference.ts'
import { DataKeyError } from './data-key-error.ts'
import { createDataKeys, findStoredKeys, listWrappedSamples, type StoredKey } from './data-keys.ts'
import { ObjectStoreError } from './object-store-error.ts'
import { type DataKey, type SealedFor, seal, sealedVersion, unseal, unsealedBlob } from './seal.ts'
import { unwrapKey, type WrappingKey } from './wrapping-keys.ts'

/** The keys of a subscription, unwrapped. */
export interface SubscriptionKeys {
  /** Seals new values. */
  readonly current: DataKey
  readonly versions: ReadonlyMap<number, DataKey>
  /** Of the keyed hashes that velocity counts by. */
  readonly velocitySecret: KeyObject
  /** Whether all keys of velocity are keyed hashes; stays so. */
  readonly isRekeyed: boolean
}

/**
 * Encrypts and decrypts stored data of subscriptions, and caches their keys. With object storage (`storeCaptures`), it writes and reads captures
 * there too.
 *
 * @throws DataKeyError from each of its methods, and ObjectStoreError from `sealBlob` and `open`.
 */
export interface Vault {
  /** The keys of a subscription; undefined if its data is stored as it is. `known`: it has keys, so that one that was not found is read again. */
  findKeys(subscriptionId: number, options?: { known?: boolean }): Promise<SubscriptionKeys | undefined>
  /** Seals a value; undefined if the subscription's data is stored as it is. */
  seal(owner: SealedFor, plain: Uint8Array): Promise<Buffer | undefined>
  /** Returns a blob as it is to be stored in its row. */
  sealBlob(owner: SealedFor, blob: Buffer): Promise<Buffer>
  /** Returns a stored value as it was; one that is not sealed as it is. */
  open(owner: SealedFor, stored: Buffer): Promise<Buffer>
  /** Lists why stored data cannot be decrypted, for readiness; empty when all is well. */
  listFaults(): Promise<string[]>
}

/** Bounds of the cache of a process. */
const MAX_SUBSCRIPTIONS = 10_000
const KNOWN_MS = 60_000
const UNKNOWN_MS = 10_000

/** Without keys: data is stored as it is. For tests, and what needs no stored data. */
export const PLAIN_VAULT: Vault = {
  findKeys: async () => undefined,
  seal: async () => undefined,
  sealBlob: async (_owner, blob) => unsealedBlob(blob),
  async open({ subscriptionId }, stored) {
    rejectReference(stored)
    if (sealedVersion(stored) === undefined) return stored
    throw new DataKeyError(`The data of subscription ${subscriptionId} is encrypted, and there is no key`)
  },
  listFaults: async () => [],
}

/** @throws ObjectStoreError if the value is in object storage. */
function rejectReference(stored: Buffer): void {
  if (isReference(stored))
    throw new ObjectStoreError('The capture is in object storage, and CAPTURE_STORE_URL is not set')
}

/**
 * Opens the vault. With wrapping keys, a subscription gets its first keys when they are first needed, once encryption has begun in this
 * database; without, the data of subscriptions that have no keys is stored as it is, and that of others cannot be used.
 */
export function openVault(db: Db, wrappingKeys: readonly WrappingKey[]): Vault {
  const cache = new LRUCache<number, Promise<SubscriptionKeys | undefined>>({ max: MAX_SUBSCRIPTIONS })

  async function read(subscriptionId: number): Promise<SubscriptionKeys | undefined> {
    const [wrappingKey] = wrappingKeys
    let stored = await findStoredKeys(db, subscriptionId)
    if (stored.keys.length === 0) {
      if (!wrappingKey || !stored.hasBegun) return undefined
      await createDataKeys(db, wrappingKey, subscriptionId)
      stored = await findStoredKeys(db, subscriptionId)
    }
    return unwrapAll(wrappingKeys, stored.keys, stored.isRekeyed)
  }

  function load(subscriptionId: number): Promise<SubscriptionKeys | undefined> {
    const reading = read(subscriptionId)
    cache.set(subscriptionId, reading, { ttl: KNOWN_MS })
    reading.then(
      (keys) => {
        if (!keys && cache.peek(subscriptionId) === reading)
          cache.set(subscriptionId, reading, { ttl: UNKNOWN_MS })
      },
      () => {
        if (cache.peek(subscriptionId) === reading) cache.delete(subscriptionId)
      },
    )
    return reading
  }

  const findCached = (subscriptionId: number) => cache.get(subscriptionId) ?? load(subscriptionId)

  const vault: Vault = {
    async findKeys(subscriptionId, { known = false } = {}) {
      const keys = await findCached(subscriptionId)
      return keys || !known ? keys : load(subscriptionId)
    },
    async seal(owner, plain) {
      const keys = await findCached(owner.subscriptionId)
      return keys && seal(keys.current, owner, plain)
    },
    sealBlob: async (owner, blob) => (await vault.seal(owner, blob)) ?? unsealedBlob(blob),
    async open(owner, stored) {
      const version = sealedVersion(stored)
      if (version === undefined) {
        rejectReference(stored)
        return stored
      }
      const { subscriptionId } = owner
      const key =
        (await findCached(subscriptionId))?.versions.get(version) ??
        (await load(subscriptionId))?.versions.get(version)
      if (!key) throw new DataKeyError(`Subscription ${subscriptionId} has no data key of version ${version}`)
      return unseal(key, owner, stored)
    },
    async listFaults() {
      const faults: string[] = []
      for (const { wrapped, wrappedBy, ...owner } of await listWrappedSamples(db))
        try {
          unwrapKey(wrappingKeys, wrappedBy, owner, wrapped)
        } catch (error) {
          if (!(error instanceof DataKeyError)) throw error
          faults.push(error.message)
        }
      return faults
    },
  }
  return vault
}

/** @throws DataKeyError if a key cannot be unwrapped, or was destroyed. */
function unwrapAll(
  wrappingKeys: readonly WrappingKey[],
  stored: readonly StoredKey[],
  isRekeyed: boolean,
): SubscriptionKeys {
  const unwrapped = stored.map(({ wrapped, wrappedBy, isKnown, ...owner }) => {
    if (!wrapped) throw new DataKeyError(`The keys of subscription ${owner.subscriptionId} were destroyed`)
    return { ...owner, isKnown, key: createSecretKey(unwrapKey(wrappingKeys, wrappedBy, owner, wrapped)) }
  })
  const data = unwrapped.filter(({ use }) => use === 'data')
  const current = data.findLast(({ isKnown }) => isKnown) ?? data[0]
  const velocity = unwrapped.find(({ use }) => use === 'velocity')
  if (!current || !velocity) throw new Error('A subscription has only some of its keys')
  return {
    current,
    versions: new Map(data.map((key) => [key.version, key])),
    velocitySecret: velocity.key,
    isRekeyed,
  }
}
