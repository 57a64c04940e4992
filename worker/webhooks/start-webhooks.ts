import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Vault } from '../../db/encryption/vault.ts'
import { settleWindow } from '../../db/events/settle-window.ts'
import { endLeases, leaseWebhooks, listDue } from '../../db/events/webhook-leases.ts'
import { openSecrets, type WebhookKey } from '../../db/events/webhook-secrets.ts'
import { findWindow } from '../../db/events/webhook-window.ts'
import type { Db } from '../../db/postgres/database.ts'
import { repeat } from '../../db/runtime/repeat.ts'
import { deliverWindow } from './deliver-window.ts'
import type { Sender } from './send-message.ts'

/** Seconds for which a worker holds a webhook: after so many, another one takes over from one that was killed. */
const LEASE_SECONDS = 10

/** Pause between looks for events, of a worker that delivers to webhooks; without any, it looks for webhooks only. */
const POLL_MS = 50

/** Pause after an error, as while Postgres is unavailable. */
const ERROR_PAUSE_MS = 1_000

/** Connections to Postgres that deliveries use at the same time, so that batches have the others. */
const MAX_CONNECTIONS = 2

/** The delivery of events to webhooks by this process. */
export interface Webhooks {
  /** Looks for events now: this process has just committed some. */
  wake(): void
  /** Resolves when the attempts in flight have ended, and other workers may take over. */
  stop(): Promise<void>
}

/**
 * Delivers events to webhooks, apart from batches: a webhook is delivered to by one worker at a time, and none waits for another one.
 *
 * @param scale makes the times of retries shorter, for tests.
 */
export function startWebhooks({
  db,
  vault,
  sender,
  onError,
  onAttempt,
  leaseSeconds = LEASE_SECONDS,
  scale = 1,
}: {
  db: Db
  vault: Vault
  sender: Sender
  onError: (error: unknown) => void
  onAttempt?: (outcome: 'delivered' | 'failed') => void
  leaseSeconds?: number
  scale?: number
}): Webhooks {
  const holder = randomUUID()
  const stopping = new AbortController()
  const { signal } = stopping
  const active = new Map<string, Promise<void>>()
  const query = pLimit(MAX_CONNECTIONS)
  let leased = 0
  let wakeUp = Promise.withResolvers<void>()
  const wake = () => wakeUp.resolve()

  async function deliver(key: WebhookKey): Promise<void> {
    while (!signal.aborted) {
      const window = await query(() => findWindow(db, key, holder))
      if (!window) return
      const secrets = await query(() => openSecrets({ db, vault }, key))
      const outcome = await deliverWindow(window, { send: sender.send, secrets, signal, onAttempt, scale })
      if (!(await query(() => settleWindow(db, key, holder, outcome)))) return
      const isIdle = outcome.attempts.length === 0 && outcome.reached.id === window.start.id
      if (isIdle || outcome.disable || outcome.failures > 0) return
    }
  }

  function begin(key: WebhookKey): void {
    const name = `${key.subscriptionId} ${key.id}`
    if (active.has(name)) return
    const delivering = deliver(key)
      .catch(async (error) => {
        onError(error)
        await delay(ERROR_PAUSE_MS, undefined, { signal }).catch(() => undefined)
      })
      .finally(() => {
        active.delete(name)
      })
    active.set(name, delivering)
  }

  const leasing = repeat(
    (leaseSeconds * 1_000) / 4,
    async () => {
      leased = (await leaseWebhooks(db, { holder, seconds: leaseSeconds })).length
      if (leased > 0) wake()
    },
    onError,
  )
  const polling = (async () => {
    while (!signal.aborted) {
      await Promise.race([wakeUp.promise, leased > 0 ? delay(POLL_MS) : wakeUp.promise])
      wakeUp = Promise.withResolvers()
      if (signal.aborted || leased === 0) continue
      try {
        for (const key of await listDue(db, holder)) begin(key)
      } catch (error) {
        onError(error)
        await delay(ERROR_PAUSE_MS, undefined, { signal }).catch(() => undefined)
      }
    }
  })()

  return {
    wake: () => {
      if (leased > 0) wake()
    },
    async stop() {
      stopping.abort()
      wake()
      await Promise.all([leasing.stop(), polling])
      await Promise.all(active.values())
      sender.close()
      await endLeases(db, holder).catch(onError)
    },
  }
}
