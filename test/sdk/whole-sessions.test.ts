import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CaptureSite,
  type Route,
  type StoredCollection,
  withCaptureSite,
} from '../support/sdk/capture-site.ts'
import { ENGINES, type Engine, type Profile, type Tab } from '../support/sdk/engines.ts'
import { formPage } from '../support/sdk/form-page.ts'

/** Sessions of each way to end in each browser: `SDK_SESSIONS=100` is the long form. */
const SESSIONS = Number(process.env.SDK_SESSIONS ?? 1)

/** The SDK's longest time until it sends what it has recorded. */
const SEAL_MS = 5_000
/** Until Chromium knows what to send if the page crashes: 300 ms, and time for a busy machine. */
const DEFER_MS = 1_200

const site = withCaptureSite()

/** One user on the page. */
interface Visit {
  readonly profile: Profile
  readonly route: Route
  /** Opens the page in a new tab. */
  open(): Promise<Tab>
  /** Types letters into the form's field. */
  type(tab: Tab, letters: string): Promise<void>
}

/** Ways in which a session ends. Each types the letters `abcdef` or more, and returns all that it has typed. */
const WAYS: Record<string, { readonly only?: Engine['name']; act(visit: Visit): Promise<string> }> = {
  'the tab is closed': {
    async act({ open, type }) {
      const tab = await open()
      await type(tab, 'abcdef')
      await tab.close()
      return 'abcdef'
    },
  },
  'the user goes to another page': {
    async act({ open, type }) {
      const tab = await open()
      await type(tab, 'abcdef')
      await tab.goto(`${site.url}/page/elsewhere`)
      return 'abcdef'
    },
  },
  'the browser is offline for a while': {
    async act({ profile, route, open, type }) {
      const tab = await open()
      await type(tab, 'abc')
      await profile.setOffline(true)
      route.failure = 'cut'
      await type(tab, 'def')
      await delay(SEAL_MS + 500)
      route.failure = undefined
      await profile.setOffline(false)
      await type(tab, 'gh')
      await tab.close()
      return 'abcdefgh'
    },
  },
  'the tab is closed offline, and the page opened again': {
    async act({ profile, route, open, type }) {
      const tab = await open()
      await type(tab, 'abc')
      await profile.setOffline(true)
      route.failure = 'cut'
      await type(tab, 'def')
      await tab.close()
      route.failure = undefined
      await profile.setOffline(false)
      await type(await open(), 'gh')
      return 'abcdefgh'
    },
  },
  'the service answers 503 for a while': {
    async act({ route, open, type }) {
      route.failure = 503
      const tab = await open()
      await type(tab, 'abcdef')
      await delay(SEAL_MS + 500)
      route.failure = undefined
      return 'abcdef'
    },
  },
  'the service answers 503, and the page is closed and opened again': {
    async act({ route, open, type }) {
      route.failure = 503
      const tab = await open()
      await type(tab, 'abcdef')
      await tab.close()
      route.failure = undefined
      await type(await open(), 'gh')
      return 'abcdefgh'
    },
  },
  'the page crashes': {
    only: 'Chromium',
    async act({ profile, open, type }) {
      const tab = await open()
      await type(tab, 'abcdef')
      await delay(DEFER_MS)
      await profile.crash?.(tab)
      return 'abcdef'
    },
  },
}

/** Returns what is wrong with what is stored of a session in which these letters were typed; '' if it is whole. */
function findFault(stored: readonly StoredCollection[], letters: string): string {
  const [collection, ...more] = stored
  if (!collection) return 'no collection'
  if (more.length > 0) return `${stored.length} collections`
  const gaps = collection.numbers.filter((n, index) => n !== index)
  if (gaps.length > 0) return `segments ${collection.numbers}`
  const keys = collection.events.filter(({ type }) => type === 'key').length
  if (keys !== letters.length) return `${keys} of ${letters.length} keys`
  const lengths = collection.events.filter(({ type }) => type === 'input').length
  return lengths === letters.length ? '' : `${lengths} of ${letters.length} inputs`
}

async function runSession(site: CaptureSite, engine: Engine, way: keyof typeof WAYS): Promise<string> {
  const route = site.openRoute()
  const name = `form-${route.endpoint.match(/\d+(?=\/c$)/)}`
  site.pages.set(name, formPage(route, { key: site.keys.claimed }))
  const profile = await engine.openProfile()
  try {
    const letters = await WAYS[way]?.act({
      ...{ profile, route },
      async open() {
        const tab = await profile.openTab()
        await tab.goto(`${site.url}/page/${name}`)
        return tab
      },
      async type(tab, letters) {
        await tab.click('[name=full-name]')
        await tab.keyboard.type(letters)
      },
    })
    return await untilWhole(() => site.listStored(route), letters ?? '')
  } finally {
    await profile.close()
  }
}

/** Resolves to '' when the session is whole, and to its fault if it is not after 30 s. */
async function untilWhole(read: () => Promise<StoredCollection[]>, letters: string): Promise<string> {
  for (const deadline = performance.now() + 30_000; ; await delay(200)) {
    const fault = findFault(await read(), letters)
    if (fault === '' || performance.now() > deadline) return fault
  }
}

beforeAll(() => {
  site.pages.set('elsewhere', '<!doctype html><title>Elsewhere</title>')
})

describe.each(ENGINES)('$name', (engine) => {
  const ways = Object.keys(WAYS).filter((way) => (WAYS[way]?.only ?? engine.name) === engine.name)
  const lines: string[] = []
  afterAll(() => {
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
  })

  // all ways at once: each mostly waits
  const limit = pLimit(engine.atOnce)
  test.skipIf(engine.missing !== undefined).concurrent.for(ways)(
    'nothing is lost or doubled when %s',
    { timeout: 180_000 + SESSIONS * 60_000 },
    async (way, { expect: expectHere }) => {
      const run = () => limit(() => runSession(site, engine, way))
      const faults = await Promise.all(Array.from({ length: SESSIONS }, run))
      lines.push(
        `${engine.name}, ${way}: ${faults.filter((fault) => fault === '').length} of ${SESSIONS} whole`,
      )
      expectHere(faults.filter((fault) => fault !== '')).toEqual([])
    },
  )
})

describe('two tabs of a browser', () => {
  test.each(ENGINES.filter(({ missing }) => !missing))('of $name record each event once', async (engine) => {
    const route = site.openRoute()
    const referenceNumber = `TABS-${crypto.randomUUID()}`
    site.pages.set('tabs', formPage(route, { key: site.keys.open, referenceNumber }))
    const profile = await engine.openProfile()
    try {
      const tabs = [await profile.openTab(), await profile.openTab()]
      for (const tab of tabs) await tab.goto(`${site.url}/page/tabs`)
      let typed = 0
      for (const letters of ['abc', 'de', 'f'])
        for (const tab of tabs) {
          await tab.click('[name=full-name]')
          await tab.keyboard.type(letters)
          typed += letters.length
        }
      for (const tab of tabs) await tab.close()
      await expect
        .poll(async () => (await site.listStored(route)).flatMap(({ events }) => events).length, {
          timeout: 20_000,
        })
        .toBeGreaterThan(0)
      await delay(1_000)
      const stored = await site.listStored(route)
      expect(stored).toHaveLength(1)
      const events = stored.flatMap((one) => one.events).map((event) => JSON.stringify(event))
      expect(new Set(events).size).toBe(events.length)
      const keys = events.filter((event) => event.includes('"type":"key"')).length
      // a tab that is not the recording one records nothing
      expect(keys).toBeLessThanOrEqual(typed)
      expect(keys).toBeGreaterThanOrEqual(typed / 2)
    } finally {
      await profile.close()
    }
  })
})
