import { makeObjectId, readReference, writeReference } from '../encryption/capture-reference.ts'
import { ObjectStoreError } from '../encryption/object-store-error.ts'
import { sealedVersion } from '../encryption/seal.ts'
import type { Vault } from '../encryption/vault.ts'
import type { ObjectStore } from './object-store.ts'

/**
 * Returns a vault that writes captures to object storage: what `sealBlob` returns, to be stored in the row, is a reference to an object that
 * the store has by then. `open` reads captures from wherever they are. Everything else stays as it is.
 */
export function storeCaptures(
  vault: Vault,
  store: Pick<ObjectStore, 'isWritten' | 'write' | 'read'> | undefined,
): Vault {
  if (!store) return vault
  return {
    ...vault,
    async sealBlob(owner, blob) {
      const sealed = await vault.sealBlob(owner, blob)
      if (owner.kind !== 'capture' || !store.isWritten) return sealed
      const id = makeObjectId()
      await store.write({ subscriptionId: owner.subscriptionId, id }, sealed)
      return writeReference({ id, keyVersion: sealedVersion(sealed) ?? 0, length: sealed.length })
    },
    async open(owner, stored) {
      const reference = owner.kind === 'capture' ? readReference(stored) : undefined
      if (!reference) return vault.open(owner, stored)
      const sealed = await store.read({ subscriptionId: owner.subscriptionId, id: reference.id })
      if (sealed.length !== reference.length || (sealedVersion(sealed) ?? 0) !== reference.keyVersion)
        throw new ObjectStoreError('Object storage has another capture than the one that was written')
      return vault.open(owner, sealed)
    },
  }
}
