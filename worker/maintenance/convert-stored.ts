import type { Logger } from 'pino'
import { convertCollections } from '../../db/collections/convert-collections.ts'
import { convertDatasets } from '../../db/datasets/convert-datasets.ts'
import { rekeyVelocity } from '../../db/datasets/velocity-keys.ts'
import { listUnconverted, listUnencrypted, markConverted } from '../../db/encryption/data-keys.ts'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Rows of a table in one transaction, during which batches of the subscription wait. */
const REKEY_ROWS = 2_000

/** Subscriptions that get keys in one run. */
const MAX_SUBSCRIPTIONS = 1_000

/** Steps of one kind and subscription before the next one. */
const MAX_STEPS = 500

/**
 * Encrypts what was stored before the subscription had its keys, or under an earlier one, in small steps, until all is or `signal` aborts:
 * captures, addresses and Additional Info; and gives velocity keyed hashes. Does nothing without wrapping keys, or before encryption has begun.
 */
export async function convertStored(
  { db, vault, log }: { db: Db; vault: Vault; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  for (const subscriptionId of await listUnencrypted(db, MAX_SUBSCRIPTIONS))
    if (!(await vault.findKeys(subscriptionId))) break // none gets keys
  for (const { subscriptionId, data, velocity, version } of await listUnconverted(db)) {
    const keys = await vault.findKeys(subscriptionId, { known: true })
    if (!keys) continue
    const repeat = async (step: () => Promise<boolean>) => {
      for (let steps = 0; steps < MAX_STEPS && !signal.aborted; steps++) if (await step()) return true
      return false
    }
    if (velocity && (await repeat(() => rekeyVelocity(db, subscriptionId, keys, REKEY_ROWS))))
      log.info({ subscriptionId }, 'velocity has keyed hashes')
    if (!data || keys.current.version !== version) continue // a newer one is not known everywhere yet
    const isConverted =
      (await repeat(async () => (await convertDatasets(db, vault, subscriptionId, keys)) === 0)) &&
      (await repeat(async () => (await convertCollections(db, vault, subscriptionId)) === 0))
    if (isConverted && (await markConverted(db, subscriptionId, version)))
      log.info({ subscriptionId, version }, 'stored data is encrypted')
  }
}
