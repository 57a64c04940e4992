import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { queryRows, sixDigits } from '../../../db/postgres/database.ts'
import { aCapture, anUpload } from '../captures.ts'
import { type Answer, upload } from '../client.ts'
import type { Tenant } from '../service.ts'
import type { TestStack } from '../test-stack.ts'
import { recordResult } from './record-result.ts'
import { byLength } from './run-length.ts'

/** Clients that upload while a fault happens, each one dataset after another, and repeat what was not answered 200. */
export interface UploadLoad {
  /** Uploads answered 200 so far. */
  readonly accepted: number
  /** Answers of 503 so far. */
  readonly rejected: number
  /** Calls so far whose connection broke or was refused. */
  readonly disconnected: number
  /** The longest that an answer took, whatever it was. */
  readonly slowestMs: number
  /** Resolves when so many more uploads than now were answered 200. @throws after so many milliseconds. */
  untilAccepted(more: number, ms?: number): Promise<void>
  /** No new uploads from now on; resolves when each that was begun is answered 200. @throws what no client should see. */
  end(): Promise<void>
  /**
   * After `end`: each upload that was answered 200 has exactly one insight, all devices and clients are counted exactly
   * 1…N, nothing waits, and no process ended by itself. Records the figure of this fault.
   *
   * @param options.withinMs what is left to the processes to work off.
   */
  expectProcessedOnce(options: { fault: string; kills?: number; withinMs: number }): Promise<void>
}

/** Clients wait as long as Retry-After says, and for the speed of tests no longer than this. */
const MAX_RETRY_MS = 500

interface Sent {
  readonly tenant: Tenant
  readonly referenceNumber: string
  readonly uploadDate: string
}

/**
 * Starts a load over the webs of the stack, by turns: several subscriptions, in each a hot device with a third of its
 * captures and a client with half of them. It goes on until `end`.
 *
 * @param options.pauseMs of each client between two uploads.
 * @param options.members of each capture, besides its device.
 */
export async function startUploadLoad(
  stack: TestStack,
  options: { clients?: number; pauseMs?: number; members?: () => Record<string, unknown> } = {},
): Promise<UploadLoad> {
  const { clients = byLength({ short: 6, long: 16 }), pauseMs = 20, members = () => ({}) } = options
  const tenants = [await stack.openTenant(), await stack.openTenant()]
  const sent: Sent[] = []
  let ended = false
  let uploads = 0
  let calls = 0
  let refused = 0
  let broken = 0
  let slowestMs = 0

  /** One call; undefined where its connection broke or no web is there. */
  async function attempt(tenant: Tenant, body: unknown): Promise<Answer | undefined> {
    const urls = stack.webUrls()
    const url = urls[calls++ % urls.length]
    if (url === undefined) return undefined
    const startedAt = performance.now()
    try {
      return await upload(url, tenant.uploaderKey, body)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error // fetch's, for all that has to do with connections
      broken++
      return undefined
    } finally {
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    }
  }

  async function uploadUntilAccepted(tenant: Tenant, n: number): Promise<void> {
    const capture = aCapture({ ...members(), device: { id: n % 3 === 0 ? 'hot' : `cold-${n}` } })
    const body = anUpload(capture, { additionalInfo: { clientId: n % 2 === 0 ? 'busy' : `client-${n}` } })
    for (;;) {
      const answer = await attempt(tenant, body)
      if (answer?.status === 200) {
        const { referenceNumber, uploadDate } = answer.body
        sent.push({ tenant, referenceNumber, uploadDate })
        return
      }
      if (answer && answer.status !== 503)
        throw new Error(`An upload was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      if (answer) refused++
      const retryMs = answer ? Number(answer.headers.get('retry-after')) * 1_000 : 100
      expect(retryMs).toBeGreaterThan(0)
      await delay(Math.min(retryMs, MAX_RETRY_MS))
    }
  }

  const clientsDone = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!ended) {
        const n = uploads++
        await uploadUntilAccepted(tenants[Math.floor(n / 6) % tenants.length] as Tenant, n)
        await delay(pauseMs)
      }
    }),
  )
  clientsDone.catch(() => undefined) // `end` throws it

  return {
    get accepted() {
      return sent.length
    },
    get rejected() {
      return refused
    },
    get disconnected() {
      return broken
    },
    get slowestMs() {
      return slowestMs
    },
    async untilAccepted(more, ms = 15_000) {
      const goal = sent.length + more
      const reached = async () => {
        for (const deadline = performance.now() + ms; sent.length < goal; await delay(10))
          if (performance.now() > deadline)
            throw new Error(`${goal - sent.length} of ${more} uploads are missing after ${ms} ms`)
      }
      await Promise.race([reached(), clientsDone])
    },
    async end() {
      ended = true
      await clientsDone
    },
    async expectProcessedOnce({ fault, kills = 1, withinMs }) {
      await stack.untilProcessed(withinMs)
      expect(stack.listFallen()).toEqual([])
      const settled = await Promise.all(tenants.map((tenant) => listSettled(stack, tenant)))
      const lost = sent.filter(({ tenant, referenceNumber, uploadDate }) => {
        const row = settled[tenants.indexOf(tenant)]?.get(referenceNumber)
        return row?.insights !== 1 || row.status !== 'ready' || row.uploadDate !== uploadDate
      })
      recordResult({ fault, uploads: sent.length, kills, lost: lost.length })
      expect(lost).toEqual([])
      expect(settled.reduce((count, { size }) => count + size, 0)).toBe(sent.length)
      for (const rows of settled) {
        expectConsecutiveCounts(rows.values(), 'device')
        expectConsecutiveCounts(rows.values(), 'client')
      }
    },
  }
}

interface Count {
  readonly id: string
  readonly datasets: number
}

interface Settled {
  readonly referenceNumber: string
  readonly status: string
  readonly uploadDate: string
  readonly insights: number
  readonly device: Count
  readonly client: Count
}

/** The datasets of a tenant by reference number. */
async function listSettled({ db }: TestStack, { subscriptionId }: Tenant): Promise<Map<string, Settled>> {
  const rows = await queryRows<Settled>(
    db,
    `select d.reference_number as "referenceNumber", d.status, ${sixDigits('d.uploaded_at')} as "uploadDate",
       (select count(*)::int from insights i where i.subscription_id = d.subscription_id and i.dataset_id = d.id) as insights,
       jsonb_build_object('id', d.device_id, 'datasets', d.velocity -> 'device' -> 'datasets') as device,
       jsonb_build_object('id', d.velocity -> 'client' -> 'id', 'datasets', d.velocity -> 'client' -> 'datasets') as client
     from datasets d where d.subscription_id = ?`,
    [subscriptionId],
  )
  return new Map(rows.map((row) => [row.referenceNumber, row]))
}

/** The datasets of each device or client have exactly the places 1, 2, 3, … */
function expectConsecutiveCounts(rows: Iterable<Settled>, kind: 'device' | 'client'): void {
  for (const [id, own] of Map.groupBy(rows, (row) => row[kind].id)) {
    const places = own.map((row) => row[kind].datasets).toSorted((a, b) => a - b)
    expect(places, `places of ${kind} ${id}`).toEqual(places.map((_, n) => n + 1))
  }
}
