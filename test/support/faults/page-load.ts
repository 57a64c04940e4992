import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { anOpening, aSegment, encodeSegment, makeSiteKey, sendFromPage } from '../pages.ts'
import type { TestStack } from '../test-stack.ts'

/** Segments of each collection, and key presses of each segment. */
const SEGMENTS = 4
const KEYS = 3

/** Browsers that fill in pages while something fails. */
export interface PageLoad {
  /** Collections that were completed so far. */
  readonly completed: number
  /** Requests that failed or were answered 5xx so far; each was repeated. */
  readonly repeated: number
  untilCompleted(collections: number): Promise<void>
  /** Ends the load: each browser completes the collection that it has begun. */
  end(): Promise<void>
  /** Expects that each completed collection became one dataset with all its events, counted once. */
  expectWhole(withinMs: number): Promise<void>
}

/** Starts browsers that collect one capture after the other, all of the same device, and repeat what fails, as the SDK does. */
export async function startPageLoad(stack: TestStack, { browsers = 4 } = {}): Promise<PageLoad> {
  const siteKey = await makeSiteKey(stack.db, stack.tenant.subscriptionId)
  const device = crypto.randomUUID()
  const completed: string[] = []
  let repeated = 0
  let ending = false

  async function sendUntilAnswered(path: string, body: unknown) {
    for (;;) {
      const [url] = stack.webUrls()
      const answer = url && (await sendFromPage(url, path, body).catch(() => undefined))
      if (answer && answer.status < 500) {
        expect(answer).toMatchObject({ status: 200 })
        return answer.body
      }
      repeated++
      await delay(50)
    }
  }

  async function fillIn(): Promise<void> {
    const referenceNumber = `PAGE-${crypto.randomUUID()}`
    const { collection } = await sendUntilAnswered(
      `/c/open?k=${siteKey}`,
      anOpening({ referenceNumber, device }),
    )
    for (let n = 0; n < SEGMENTS; n++) {
      const events = Array.from({ length: KEYS }, (_, key) => ({
        ...{ t: 1_000 * n + 100 * key, type: 'key', target: 'income', kind: 'digit', dwellMs: 60 },
      }))
      await sendUntilAnswered(`/c?c=${collection}&n=${n}`, encodeSegment(aSegment(n, { events })))
      await delay(20)
    }
    const receipt = await sendUntilAnswered(`/c/complete?c=${collection}`, { segments: SEGMENTS })
    expect(receipt).toMatchObject({ referenceNumber })
    completed.push(referenceNumber)
  }

  const running = Array.from({ length: browsers }, async () => {
    while (!ending) await fillIn()
  })

  return {
    get completed() {
      return completed.length
    },
    get repeated() {
      return repeated
    },
    async untilCompleted(collections) {
      const target = completed.length + collections
      await expect.poll(() => completed.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(target)
    },
    async end() {
      ending = true
      await Promise.all(running)
    },
    async expectWhole(withinMs) {
      await stack.untilProcessed(withinMs)
      const datasets = await stack
        .db('datasets as d')
        .join('insights as i', { 'i.subscription_id': 'd.subscription_id', 'i.dataset_id': 'd.id' })
        .where({ 'd.subscription_id': stack.tenant.subscriptionId })
        .select('d.reference_number', 'd.velocity', 'i.features')
      expect(datasets.map((one) => one.reference_number).toSorted()).toEqual(completed.toSorted())
      const keys = datasets.map(({ features }) => JSON.parse(features).behaviour_keys_count)
      expect(keys).toEqual(datasets.map(() => SEGMENTS * KEYS))
      const places = datasets.map(({ velocity }) => velocity.device.datasets)
      expect(places.toSorted((a, b) => a - b)).toEqual(datasets.map((_, at) => at + 1))
      expect(await stack.db('collection_segments').pluck('n')).toEqual([])
    },
  }
}
