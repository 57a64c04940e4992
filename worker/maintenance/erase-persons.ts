import type { Logger } from 'pino'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import { eraseNext, listErasures } from '../../db/privacy/erasure.ts'

/** Erasures of one run. */
const MAX_ERASURES = 100

/** Steps of one erasure before the next one. */
const MAX_STEPS = 500

/**
 * Goes on with the running erasures of persons, in small steps, until none can go on or `signal` aborts. An erasure that fails, as without its
 * subscription's keys, keeps no other one from going on.
 */
export async function erasePersons(
  { db, vault, log }: { db: Db; vault: Vault; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  for (const erasure of await listErasures(db, MAX_ERASURES)) {
    const { subscriptionId, id: request } = erasure
    try {
      let outcome: Awaited<ReturnType<typeof eraseNext>> = 'more'
      for (let step = 0; step < MAX_STEPS && outcome === 'more' && !signal.aborted; step++)
        outcome = await eraseNext(db, vault, erasure)
      if (outcome === 'done') log.info({ subscriptionId, request }, 'person erased')
    } catch (err) {
      log.error({ err, subscriptionId, request }, 'an erasure failed; it is tried again')
    }
  }
}
