import { setTimeout as delay } from 'node:timers/promises'
import puppeteer from 'puppeteer-core'
import { expect, test } from 'vitest'
import { findWholeChromium } from '../support/portal/find-chromium.ts'
import { withCaptureSite } from '../support/sdk/capture-site.ts'
import { type Tab, testInBrowsers } from '../support/sdk/engines.ts'
import { formPage } from '../support/sdk/form-page.ts'
import { findFirefox, openFirefox } from '../support/sdk/open-firefox.ts'

const site = withCaptureSite()

testInBrowsers(
  'a page with a strict policy and Trusted Types captures everything without a violation',
  async (engine) => {
    const route = site.openRoute()
    site.pages.set('strict', formPage(route, { key: site.keys.claimed, modules: ['graphics'] }))
    const profile = await engine.openProfile()
    try {
      const tab = await profile.openTab()
      await tab.goto(`${site.url}/page/strict`)
      await tab.click('[name=full-name]')
      await tab.keyboard.type('abc')
      await expect // modules are loaded after the start
        .poll(() =>
          tab.evaluate('performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1))'),
        )
        .toEqual(expect.arrayContaining(['facts.mjs', 'graphics.mjs']))
      await expect.poll(() => tab.evaluate('localStorage.length')).toBeGreaterThan(0)
      await delay(1_000) // the graphics take a moment
      await tab.evaluate('inkling.complete().then(() => 1)')
      expect(await tab.evaluate('violations')).toEqual([])

      const [collection] = await site.listStored(route)
      const facts = collection?.segments.flatMap((segment) => segment.facts ?? []) ?? []
      const web = Object.assign({}, ...facts.map((one) => one.web))
      expect(web).toMatchObject({
        browser: { userAgent: expect.stringMatching(/Chrome\/|Firefox\//), webdriver: true, embedded: false },
        screen: { widthPx: expect.any(Number) },
        preferences: { colorScheme: expect.any(String) },
        page: { origin: site.url, path: '/page/strict', navigationType: 'navigate' },
      })
      expect(Object.assign({}, ...facts.map((one) => one.device))).toMatchObject(
        JSON.parse(
          String(
            await tab.evaluate(
              '{ const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions(); JSON.stringify({ locale, timeZone }) }',
            ),
          ),
        ),
      )
      expect(web.graphics).toMatchObject({ canvasHash: expect.any(String) })
      expect(collection?.segments.flatMap(({ fields }) => fields ?? [])).toEqual([
        expect.objectContaining({ name: 'full-name', kind: 'text', autocomplete: 'name', index: 0 }),
      ])
      // every request goes to the site itself
      const origins = await tab.evaluate(
        'performance.getEntriesByType("resource").map(({ name }) => new URL(name).origin).filter((one) => one !== location.origin)',
      )
      expect(origins).toEqual([])
    } finally {
      await profile.close()
    }
  },
)

/** Goes to another page and back, and expects the same document, which goes on capturing. */
async function checkKept(name: string, tab: Tab): Promise<void> {
  const route = site.openRoute()
  site.pages.set(name, formPage(route, { key: site.keys.claimed }))
  site.pages.set('elsewhere', '<!doctype html><title>Elsewhere</title>')
  await tab.goto(`${site.url}/page/${name}`)
  await tab.click('[name=full-name]')
  await tab.keyboard.type('abc')
  await expect.poll(async () => (await site.listStored(route)).length).toBe(1)
  await tab.evaluate(
    'var mark = 1; addEventListener("pageshow", ({ persisted }) => { mark = persisted ? "kept" : "loaded" })',
  )
  await tab.goto(`${site.url}/page/elsewhere`)
  await tab.evaluate('setTimeout(() => history.back(), 50); 1')
  await expect
    .poll(() => tab.evaluate('[document.title, globalThis.mark]').catch(() => undefined), { timeout: 15_000 })
    .toEqual(['Apply', 'kept'])
  // the page takes its session again, which is asynchronous
  await expect
    .poll(() => tab.evaluate('navigator.locks.query().then(({ held }) => held.length)'))
    .toBeGreaterThan(0)
  await tab.click('[name=full-name]')
  await tab.keyboard.type('def')
  await tab.evaluate('inkling.complete().then(() => 1)')
  const [collection, ...more] = await site.listStored(route)
  expect(more).toEqual([])
  expect(collection?.events.filter(({ type }) => type === 'key')).toHaveLength(6)
  expect(collection?.events.flatMap(({ type, phase }) => (type === 'visibility' ? [phase] : []))).toEqual([
    'hidden',
    'visible',
  ])
}

test.skipIf(findWholeChromium() === undefined)(
  'Chromium keeps a page that captures in its back/forward cache',
  async () => {
    // by Puppeteer: Playwright loses pages that come out of the cache
    const browser = await puppeteer.launch({
      executablePath: findWholeChromium() ?? '',
      args: ['--no-sandbox', '--disable-gpu'],
    })
    try {
      await checkKept('kept-by-chromium', await browser.newPage())
    } finally {
      await browser.close()
    }
  },
)

test.skipIf(findFirefox() === undefined)(
  'Firefox keeps a page that captures in its back/forward cache',
  async () => {
    const context = await (await openFirefox()).createBrowserContext()
    try {
      await checkKept('kept-by-firefox', await context.newPage())
    } finally {
      await context.close()
    }
  },
)
