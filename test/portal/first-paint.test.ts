import { expect, test } from 'vitest'
import { withOwnPortal } from '../support/portal/with-portal.ts'

const portal = withOwnPortal()

/** A slow mobile network: 1.6 Mb/s down, 750 kb/s up, 150 ms latency for each response. */
const SLOW_NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}

const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
}).observe({ type: 'paint', buffered: true }))`

/** Loads a page with an empty cache over a slow network. Times are in milliseconds from the start of the load. */
async function loadSlowly(path: string, text: string) {
  const session = await portal.openAs(portal.stack.tenant.userEmail)
  const page = await portal.openPage()
  await page.context().addCookies(await session.context().cookies())
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  await network.send('Network.emulateNetworkConditions', SLOW_NETWORK)
  await page.goto(path, { waitUntil: 'commit' })
  await page.getByText(text).first().waitFor()
  const shell = await page.locator('#shell').isVisible()
  await page.waitForLoadState('networkidle')
  return { paintMs: Number(await page.evaluate(FIRST_PAINT)), requests, shell }
}

test.each([
  { path: '/invitation', text: 'This link', most: 12 },
  { path: '/datasets', text: 'No datasets yet', most: 14 },
])('$path paints within 1.5 s over 1.6 Mb/s and loads few files', async ({ path, text, most }) => {
  const { paintMs, requests, shell } = await loadSlowly(path, text)
  expect(shell).toBe(false)
  expect(paintMs).toBeLessThan(1_500)
  expect(requests.length, requests.join(' ')).toBeLessThanOrEqual(most)
})
