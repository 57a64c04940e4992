import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { encodeCapture } from '../../scripts/captures/encode-capture.ts'
import { generateCaptures } from '../../scripts/captures/generate-captures.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, logIn, upload } from '../support/client.ts'
import { checkAccessibility, checkFits, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import type { Tenant } from '../support/service.ts'

const UPLOADS = 30

const portal = withPortal()
let tenant: Tenant

/** Uploads a realistic population and two invalid datasets. */
beforeAll(async () => {
  tenant = portal.stack.tenant
  for (const { capture, ...members } of generateCaptures({ seed: 7, count: UPLOADS, size: 'small' }))
    await send({ ...members, data: encodeCapture(capture) })
  for (const referenceNumber of ['BAD-1', 'BAD-2'])
    await send(anUpload(undefined, { referenceNumber, data: 'bm90IGd6aXA=' }))
  await portal.stack.untilProcessed(30_000)
})

async function send(body: object, sender = tenant): Promise<void> {
  expect((await upload(portal.url, sender.uploaderKey, body)).status).toBe(200)
}

async function open(search = ''): Promise<Page> {
  const page = await portal.openAs(tenant.userEmail, { at: `/datasets${search}` })
  await page.getByRole('heading', { name: 'Datasets' }).waitFor()
  return page
}

/** The rows with datasets, without the row of column names. */
const rowsOf = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') })
const rowOf = (page: Page, referenceNumber: string) =>
  rowsOf(page).filter({ has: page.getByRole('link', { name: referenceNumber, exact: true }) })
const untilRows = (page: Page, count: number) =>
  expect.poll(() => rowsOf(page).count(), { timeout: 15_000 }).toBe(count)
const referencesOf = (page: Page) => rowsOf(page).getByRole('link').allTextContents()

async function listAll(query = ''): Promise<{ referenceNumber: string; scores: { code: string }[] }[]> {
  const token = await logIn(portal.url, tenant)
  return (await call(portal.url, 'GET', `/api/datasets/v1?limit=100${query}`, { token })).body.items
}

test('an analyst signs in, searches, filters and opens a dataset, newest first; going back restores the filters', async () => {
  const page = await portal.openAs(tenant.userEmail, { at: '/' })
  await untilRows(page, UPLOADS + 2)
  const all = await listAll()
  expect(await referencesOf(page)).toEqual(all.map(({ referenceNumber }) => referenceNumber))
  await checkAccessibility(page)
  await takeScreenshot(page, 'datasets')
  for (const width of [360, 800, 1_000, 1_280]) {
    await page.setViewportSize({ width, height: 800 })
    const cut = () =>
      page.evaluate(`(() => {
        const end = document.querySelector('table').parentElement.getBoundingClientRect().right
        const cells = [...document.querySelectorAll('tbody td > *')]
        return Math.max(...cells.map((cell) => cell.getBoundingClientRect().right)) - end
      })()`)
    await expect.poll(cut, { message: `pixels cut off at ${width}` }).toBeLessThanOrEqual(0)
  }

  await page.getByRole('searchbox', { name: 'Search by reference, client or device' }).fill('bad')
  await untilRows(page, 2)
  expect(await referencesOf(page)).toEqual(['BAD-1', 'BAD-2'])
  await page.getByRole('searchbox', { name: 'Search by reference, client or device' }).fill('')
  await untilRows(page, UPLOADS + 2)

  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Invalid' }).click()
  await untilRows(page, 2)
  expect(new URL(page.url()).hash).toBe('#status=invalid')
  await page.getByRole('link', { name: 'BAD-1' }).click()
  await page.waitForURL('**/datasets/BAD-1')
  await page.goBack()
  await untilRows(page, 2)
  expect(new URL(page.url()).hash).toBe('#status=invalid')
  await page.getByRole('link', { name: 'BAD-1' }).click()
  await page.waitForURL('**/datasets/BAD-1')
  await page.getByRole('main').getByRole('link', { name: 'Datasets' }).click()
  await untilRows(page, 2)
  expect(new URL(page.url()).hash).toBe('#status=invalid')

  await page.getByRole('button', { name: 'Remove: Invalid' }).click()
  await untilRows(page, UPLOADS + 2)
})

test('Enter opens the dataset with exactly this reference number, or otherwise lists those with this prefix', async () => {
  const page = await open()
  const box = page.getByRole('searchbox', { name: 'Search by reference, client or device' })
  await box.fill('BAD-2')
  await box.press('Enter')
  await page.waitForURL('**/datasets/BAD-2')
  await page.goBack()
  await box.fill('BAD-')
  await box.press('Enter')
  await untilRows(page, 2)
  expect(new URL(page.url()).hash).toBe('#search=BAD-')
})

test('filters of the panel apply together, are part of the URL, and show validation errors', async () => {
  const page = await open()
  await page.getByRole('button', { name: 'Filters' }).click()
  const panel = page.getByRole('form', { name: 'Filters' })
  await panel.getByLabel('Min score').fill('500')
  await panel.getByRole('button', { name: 'Apply' }).click()
  await panel.getByText('Choose a scorecard first').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'datasets-filters')

  const [scored] = await listAll('&platform=android&status=ready')
  const code = scored?.scores[0]?.code ?? ''
  await panel.getByRole('combobox', { name: 'Scorecard', exact: true }).fill(code)
  await panel.getByRole('combobox', { name: 'Platform' }).click()
  await page.getByRole('option', { name: 'Android' }).click()
  await panel.getByRole('button', { name: 'Apply' }).click()
  const wanted = await listAll(`&platform=android&scoreCode=${code}&scoreFrom=500`)
  await untilRows(page, wanted.length)
  expect(await referencesOf(page)).toEqual(wanted.map(({ referenceNumber }) => referenceNumber))
  expect(Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice(1)))).toEqual({
    platform: 'android',
    scoreCode: code,
    scoreFrom: '500',
  })
  await page.reload()
  await untilRows(page, wanted.length)
  await page.getByRole('button', { name: 'Clear all' }).click()
  await untilRows(page, UPLOADS + 2)
})

test('the form rejects a range that does not end after its start', async () => {
  const page = await open()
  await page.getByRole('button', { name: 'Filters' }).click()
  const panel = page.getByRole('form', { name: 'Filters' })
  await panel.getByRole('combobox', { name: 'Uploaded' }).click()
  await page.getByRole('option', { name: 'Custom range' }).click()
  await panel.getByLabel('From', { exact: true }).fill('2026-11-20T10:00')
  await panel.getByLabel('To', { exact: true }).fill('2026-11-20T09:00')
  await panel.getByRole('button', { name: 'Apply' }).click()
  await panel.getByText('Must be later than From').waitFor()
  expect(new URL(page.url()).hash).toBe('')
  await takeScreenshot(page, 'datasets-range')
})

test('a search without results shows a message and can be cleared', async () => {
  const page = await open('?clientId=nobody')
  await page.getByText('No results').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'datasets-nothing')
  await page.getByRole('button', { name: 'Clear all filters' }).click()
  await untilRows(page, UPLOADS + 2)
})

test('an export contains the datasets that the API lists', async () => {
  const page = await open('?platform=android')
  const wanted = await listAll('&platform=android')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const download = await saved
  await page.getByText(`has ${wanted.length} datasets`).waitFor()
  await checkAccessibility(page)
  expect(download.suggestedFilename()).toMatch(/^datasets-[\d-]+\.csv$/)
  const [, ...lines]: string[][] = parse(await readFile(await download.path(), 'utf8'), { bom: true })
  expect(lines.map(([referenceNumber]) => referenceNumber)).toEqual(
    wanted.map(({ referenceNumber }) => referenceNumber),
  )
})

describe('a new subscription', () => {
  let other: Tenant
  beforeAll(async () => {
    other = await portal.stack.openTenant()
  })

  test('the page links to the upload page, shows the first upload automatically, and no data of others', async () => {
    const page = await portal.openAs(other.userEmail)
    await page.getByText('No datasets yet').waitFor()
    await takeScreenshot(page, 'datasets-empty')
    await checkAccessibility(page)
    expect(await page.getByRole('link', { name: 'Upload a dataset' }).getAttribute('href')).toBe('/start')

    portal.worker.send('SIGSTOP')
    await send(anUpload(aCapture(), { referenceNumber: 'FIRST-1' }), other)
    await rowOf(page, 'FIRST-1').getByText('Processing').waitFor()
    portal.worker.send('SIGCONT')
    await rowOf(page, 'FIRST-1').getByText('Ready').waitFor()
    expect(await referencesOf(page)).toEqual(['FIRST-1'])

    await page.getByRole('searchbox', { name: 'Search by reference, client or device' }).fill('BAD-1')
    await page.getByRole('searchbox', { name: 'Search by reference, client or device' }).press('Enter')
    await page.getByText('No results').waitFor()
  })

  test('thousands of datasets load while scrolling; going back restores the position; a filter finds a rare dataset', async () => {
    await queryRows(
      portal.stack.db,
      `insert into datasets (subscription_id, reference_number, data_hash, status, platform, uploaded_at)
       select ?, 'OLD-' || n, '', 'ready', case when n = 1 then 'web' else 'ios' end,
              now() - interval '30 days' + n * interval '1 minute'
       from generate_series(1, 25000) n`,
      [other.subscriptionId],
    )
    const page = await portal.openAs(other.userEmail)
    await untilRows(page, 50)
    await page.mouse.move(600, 400)
    await expect
      .poll(
        async () => {
          await page.evaluate('scrollTo(0, document.body.scrollHeight)')
          return Number(await page.getByRole('table').getAttribute('aria-rowcount'))
        },
        { timeout: 20_000, interval: 300 },
      )
      .toBeGreaterThan(150)

    const isRow = "document.elementFromPoint(600, 300)?.closest('tr')?.querySelector('a') != null"
    await page.waitForFunction(isRow) // the rows of a page that has just arrived are drawn in the next frame
    const reference = String(
      await page.evaluate("document.elementFromPoint(600, 300).closest('tr').querySelector('a').textContent"),
    )
    const shown = rowOf(page, reference).getByRole('link')
    await shown.click()
    await page.getByRole('heading', { name: reference }).waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
    await page.goBack()
    const isSeen = async () => {
      const box = await shown.boundingBox()
      return box !== null && box.y > 0 && box.y < 800
    }
    await expect.poll(isSeen, { timeout: 5_000 }).toBe(true) // the scroll position is restored
    await send(anUpload(aCapture(), { referenceNumber: 'NEW-1' }), other)
    await page.getByRole('button', { name: '1 new' }).click()
    await rowOf(page, 'NEW-1').getByText('Ready').waitFor()

    await page.goto('/datasets?platform=web')
    await rowOf(page, 'OLD-1').waitFor() // 25,000 rows further down: three requests
    await untilRows(page, 1)
  })
})

test('the page fits and can be used on a phone, light and dark', async () => {
  const page = await open()
  await untilRows(page, UPLOADS + 2)
  await checkLooks(page, 'datasets')
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('combobox', { name: 'Platform' }).waitFor()
  await checkFits(page)
  await rowOf(page, 'BAD-1').getByRole('link').click()
  await page.waitForURL('**/datasets/BAD-1')
})
