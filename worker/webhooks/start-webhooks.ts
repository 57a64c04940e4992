import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Vault } from '../../db/encryption/vault.ts'
import { settleWindow } from '../../db/events/settle-window.ts'
import { endLeases, leaseWebhooks, listDue } from '../../db/events/webhook-leases.ts'
import { unsealSecrets, type WebhookKey } from '../../db/events/webhook-secrets.ts'
import { findWindow, isEmpty } from '../../db/events/webhook-window.ts'
import type { Db } from '../../db/postgres/database.ts'
import { repeat } from '../../db/runtime/repeat.ts'
import { deliverWindow } from './deliver-window.ts'
import type { Sender } from './send-message.ts'

/** Seconds for which a worker holds a webhook: after so many, another one takes over from one that was killed. */
const LEASE_SECONDS = 10

/** Pause between looks for events, of a worker that delivers to webhooks; without any, it looks for webhooks only. */
const POLL_MS = 50

/**
 * Pause after deliveries to a webhook, as a multiple of the time that they took, and its maximum. While many datasets are processed, the events of
 * several batches are delivered together, and batches get most of the processor time; a single event waits for some milliseconds.
 */
const REST = { share: 3, maxMs: 250 }

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
  /** Active webhooks that got more to deliver meanwhile. */
  const missed = new Set<string>()
  const query = pLimit(MAX_CONNECTIONS)
  let leased = 0
  let wakeUp = Promise.withResolvers<void>()
  const wake = () => wakeUp.resolve()

  async function deliver(key: WebhookKey): Promise<void> {
    for (let isFull = true; isFull && !signal.aborted; ) {
      const window = await query(() => findWindow(db, key, holder))
      if (!window || isEmpty(window)) return
      const secrets = await unsealSecrets(vault, key, window.sealedSecrets)
      const outcome = await deliverWindow(window, { send: sender.send, secrets, signal, onAttempt, scale })
      if (!(await query(() => settleWindow(db, key, holder, outcome)))) return
      if (outcome.disable || outcome.failures > 0) return
      isFull = window.isFull
    }
  }

  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined)

  async function deliverAndRest(key: WebhookKey): Promise<void> {
    const beganAt = performance.now()
    try {
      await deliver(key)
      await pause(Math.min(REST.maxMs, REST.share * (performance.now() - beganAt)))
    } catch (error) {
      onError(error)
      await pause(ERROR_PAUSE_MS)
    }
  }

  function begin(key: WebhookKey): void {
    const name = `${key.subscriptionId} ${key.id}`
    if (active.has(name)) {
      missed.add(name)
      return
    }
    const delivering = deliverAndRest(key).finally(() => {
      active.delete(name)
      if (missed.delete(name)) wake()
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
        await pause(ERROR_PAUSE_MS)
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
