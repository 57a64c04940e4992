import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { queryRows, sixDigits } from '../../../db/postgres/database.ts'
import { aCapture, anUpload } from '../captures.ts'
import { type Answer, upload } from '../client.ts'
import type { Tenant } from '../service.ts'
import type { TestStack } from '../test-stack.ts'
import { recordResult } from './record-result.ts'
import { byLength } from './run-length.ts'

/** Clients that upload continuously during a fault, each sequentially, and retry uploads until they are answered 200. */
export interface UploadLoad {
  /** Uploads answered 200 so far. */
  readonly accepted: number
  /** Answers of 503 so far. */
  readonly rejected: number
  /** Calls so far whose connection failed or was refused. */
  readonly disconnected: number
  /** Longest response time so far, for any response. */
  readonly slowestMs: number
  /** Resolves when `more` further uploads were answered 200. @throws after `ms` milliseconds. */
  untilAccepted(more: number, ms?: number): Promise<void>
  /** Stops the load; resolves when every started upload was answered 200. @throws on any unexpected response. */
  end(): Promise<void>
  /**
   * Call after `end`. Expects exactly one insight for each upload that was answered 200, devices and clients counted exactly
   * 1…N, no waiting datasets, and no process that ended by itself. Records the result of this fault.
   *
   * @param options.withinMs time limit for processing the remaining datasets.
   */
  expectProcessedOnce(options: { fault: string; kills?: number; withinMs: number }): Promise<void>
}

/** Limit of the wait that Retry-After asks for, to keep tests fast. */
const MAX_RETRY_MS = 500

interface Sent {
  readonly tenant: Tenant
  readonly referenceNumber: string
  readonly uploadDate: string
}

/**
 * Starts upload load, distributed round-robin over the web processes of the stack: two subscriptions, in each a hot
 * device with a third of the captures and a client with half of them. Runs until `end`.
 *
 * @param options.pauseMs pause of each client between two uploads.
 * @param options.members members of each capture besides its device.
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
  let rejected = 0
  let disconnected = 0
  let slowestMs = 0

  /** Uploads once; undefined if the connection failed or no web process is running. */
  async function attempt(tenant: Tenant, body: unknown): Promise<Answer | undefined> {
    const urls = stack.webUrls()
    const url = urls[calls++ % urls.length]
    if (url === undefined) return undefined
    const startedAt = performance.now()
    try {
      return await upload(url, tenant.uploaderKey, body)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error // fetch reports connection errors as TypeError
      disconnected++
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
      if (answer) rejected++
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
  clientsDone.catch(() => undefined) // `end` rethrows it

  return {
    get accepted() {
      return sent.length
    },
    get rejected() {
      return rejected
    },
    get disconnected() {
      return disconnected
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

/** Lists the datasets of a tenant by reference number. */
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

/** Expects the counts of each device or client to be exactly 1, 2, 3, … */
function expectConsecutiveCounts(rows: Iterable<Settled>, kind: 'device' | 'client'): void {
  for (const [id, own] of Map.groupBy(rows, (row) => row[kind].id)) {
    const counts = own.map((row) => row[kind].datasets).toSorted((a, b) => a - b)
    expect(counts, `counts of ${kind} ${id}`).toEqual(counts.map((_, n) => n + 1))
  }
}
