import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { checkAccessibility, takeScreenshot } from '../support/portal/check-page.ts'
import { withOwnPortal } from '../support/portal/with-portal.ts'

const portal = withOwnPortal()

const DATASETS = 1_700

/** A table that rendered all of its 1,500 rows had 57,000 nodes. */
const MAX_NODES = 4_000

/** Processor time of the page's main thread, which other programs on the machine do not increase as they do a duration. */
const MAX_OPENING_MS = 500

const rowCount = async (page: Page) => Number(await page.getByRole('table').getAttribute('aria-rowcount'))
const focusedRow = (page: Page) =>
  page.evaluate("Number(document.activeElement.closest('tr')?.getAttribute('aria-rowindex'))")

/** Clicks Filters. Resolves at the next frame with the panel in it. */
const OPEN_FILTERS = `new Promise((resolve) => {
  const button = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Filters')
  const look = () => document.querySelector('form[aria-label=Filters]')
    ? requestAnimationFrame(() => resolve()) : setTimeout(look)
  button.click()
  look()
})`

/** Measures the processor time in milliseconds that the page's main thread uses for an action. */
async function measureTasks(page: Page, action: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  const before = await read()
  await action()
  return (await read()) - before
}

test('a list of 1,500 rows has few nodes, opens its filters quickly, and has one tab stop per row', async () => {
  const tenant = await portal.stack.openTenant()
  await queryRows(
    portal.stack.db,
    `insert into datasets (subscription_id, reference_number, data_hash, status, platform, uploaded_at)
     select ?, 'OLD-' || n, '', 'ready', 'ios', now() - interval '30 days' + n * interval '1 minute'
     from generate_series(1, ?::int) n`,
    [tenant.subscriptionId, DATASETS],
  )
  const page = await portal.openAs(tenant.userEmail)
  await page.getByRole('link', { name: `OLD-${DATASETS}` }).waitFor()
  await page.mouse.move(600, 400)
  await expect
    .poll(
      async () => {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)')
        return rowCount(page)
      },
      { timeout: 90_000, interval: 50 },
    )
    .toBeGreaterThan(1_500)
  expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(MAX_NODES)
  await checkAccessibility(page)
  await takeScreenshot(page, 'datasets-long')

  await page.evaluate('scrollTo(0, 0)')
  await page.getByRole('link', { name: `OLD-${DATASETS}` }).focus()
  expect(await focusedRow(page)).toBe(2)
  for (let row = 3; row < 60; row++) {
    await page.keyboard.press('Tab')
    expect(await focusedRow(page)).toBe(row)
  }
  await page.evaluate('scrollTo(0, 0)')
  expect(await focusedRow(page), 'a row with the focus stays on the page').toBe(59)

  const openingMs = await measureTasks(page, () => page.evaluate(OPEN_FILTERS))
  expect(openingMs).toBeGreaterThan(0)
  expect(openingMs).toBeLessThan(MAX_OPENING_MS)
})
