import { PLAIN_VAULT, type Vault } from '../encryption/vault.ts'
import type { ObjectStore } from '../object-store/object-store.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { shareConcurrent } from '../runtime/share-concurrent.ts'
import { withTimeout } from '../runtime/with-timeout.ts'
import type { QueueProducer } from './producer.ts'

/** Timeout of the query to Postgres. */
const CHECK_MS = 2_000

/** Reasons for not being ready, by the name of the part that they concern; empty when all is well. */
export type Faults = Readonly<Record<string, readonly string[]>>

/**
 * Opens a check of the stores, and of whether the keys of encrypted data are known, which takes at most 2 s. Calls during a check share its result, so that a flood of
 * readiness requests takes no connections from the work.
 */
export function openStoreCheck(
  db: Db,
  producer: QueueProducer,
  vault: Pick<Vault, 'listFaults'> = PLAIN_VAULT,
  captures?: Pick<ObjectStore, 'check'>,
): () => Promise<Faults> {
  async function checkPostgres(): Promise<string[]> {
    await queryRows(db, 'select 1')
    return vault.listFaults()
  }

  async function check(): Promise<Faults> {
    const [postgres, queue, objects] = await Promise.allSettled([
      withTimeout(CHECK_MS, 'Postgres', checkPostgres()),
      producer.check(),
      captures?.check(),
    ])
    const encryption = postgres.status === 'fulfilled' ? postgres.value : []
    return {
      ...(postgres.status === 'rejected' && { postgres: ['does not answer'] }),
      ...(encryption.length > 0 && { encryption }),
      ...(objects.status === 'rejected' && { captures: ['object storage does not answer'] }),
      ...(queue.status === 'rejected' && { queue: ['does not take jobs'] }),
    }
  }

  return shareConcurrent(check)
}
