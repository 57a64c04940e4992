import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { aCapture, anUpload } from '../captures.ts'
import { call, upload } from '../client.ts'
import { openPortal, PORTAL_MS, type Portal } from './open-portal.ts'

vi.setConfig({ testTimeout: PORTAL_MS, hookTimeout: 2 * PORTAL_MS })

let portal: Portal
let page: Page

beforeAll(async () => {
  portal = await openPortal()
  page = await portal.openAs(portal.house.tenant.userEmail)
})
afterAll(() => portal[Symbol.asyncDispose]())

async function send(referenceNumber: string): Promise<void> {
  const body = { ...anUpload(aCapture()), referenceNumber }
  expect((await upload(portal.url, portal.house.tenant.uploaderKey, body)).status).toBe(200)
}

const openDataset = (referenceNumber: string) => page.goto(`/datasets/${encodeURIComponent(referenceNumber)}`)

const countReads = async (referenceNumber: string): Promise<number> =>
  (await portal.house.db('insight_requests').where({ reference_number: referenceNumber })).length

test('datasets whose reference numbers have percent signs and slashes are told apart by their addresses', async () => {
  const references = ['A/B', 'A%2FB', 'A%252FB', '100%', '%E0']
  for (const reference of references) await send(reference)
  await portal.house.untilProcessed(10_000)
  for (const reference of references) {
    const before = await countReads(reference)
    await openDataset(reference)
    await page.getByRole('heading', { level: 1, name: reference, exact: true }).waitFor()
    await page.getByText('Points by characteristic').waitFor()
    expect(await countReads(reference)).toBe(before + 1)
  }
})

test('what is worked in while a page is open is read once, when the window gets the focus again', async () => {
  const reference = 'open all the time'
  await send(reference)
  await portal.house.untilProcessed(10_000)
  await openDataset(reference)
  await page.getByText('Points by characteristic').waitFor()
  await comeBack()
  expect(await countReads(reference)).toBe(1)

  await call(portal.url, 'POST', '/api/datasets/v1/additionalinfo', {
    token: portal.house.tenant.uploaderKey,
    body: { referenceNumber: reference, additionalInfo: { phoneHash: 'aa01' } },
  })
  await portal.house.untilProcessed(10_000)
  await comeBack()
  await page.getByRole('region', { name: 'Additional Info' }).getByText('aa01').waitFor()
  await expect.poll(() => countReads(reference)).toBe(2)
})

/** The window gets the focus when what it shows is so old that the page looks again. */
async function comeBack(): Promise<void> {
  await page.waitForTimeout(5_500)
  const looked = page.waitForResponse((response) => response.url().includes('/api/datasets/v1/'))
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
  await looked
}
