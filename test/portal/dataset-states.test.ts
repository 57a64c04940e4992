import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, upload } from '../support/client.ts'
import { checkAccessibility, checkFits, takeScreenshot } from '../support/portal/check-page.ts'
import { countReads, openDataset, section, sendCapture } from '../support/portal/dataset-page.ts'
import { withOwnPortal } from '../support/portal/with-portal.ts'

const portal = withOwnPortal({ INSIGHT_WAIT_MS: '2000' })

test('an invalid dataset shows its error and how to fix it, and an admin can reprocess it', async () => {
  const referenceNumber = 'LN-invalid'
  const body = { referenceNumber, data: Buffer.from('not a capture').toString('base64') }
  expect((await upload(portal.url, portal.stack.tenant.uploaderKey, body)).status).toBe(200)
  await portal.stack.untilProcessed(10_000)
  const page = await openDataset(portal, referenceNumber, portal.adminEmail)
  const alert = page.getByRole('alert')
  await alert.getByText('The data is not a compressed capture').waitFor()
  await alert.getByText('How to fix it').waitFor()
  await alert.getByText('not_gzip').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-invalid')
  expect(await countReads(portal, referenceNumber)).toBe(0)

  await page.getByRole('button', { name: 'Reprocess' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reprocess' }).click()
  await section(page, 'Activity').getByText('Reprocessing requested').waitFor()
  await alert.getByText('not_gzip').waitFor()
})

test('a waiting dataset appears automatically, with two reads regardless of the number of polls', async () => {
  const { stack } = portal
  await portal.worker.end('SIGTERM')
  const body = anUpload(aCapture(), { additionalInfo: { clientId: 'C-1' } })
  expect((await upload(portal.url, stack.tenant.uploaderKey, body)).status).toBe(200)
  const page = await openDataset(portal, body.referenceNumber)
  await page.getByRole('status').getByText('Waiting to be processed').waitFor()
  await page.waitForTimeout(3_500) // longer than INSIGHT_WAIT_MS
  await expect.poll(() => countReads(portal, body.referenceNumber)).toBe(1)
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-waiting')

  await stack.startWorker()
  await page.getByText('Points by characteristic').waitFor()
  await page.getByText('Ready', { exact: true }).waitFor()
  expect(await page.getByText('Waiting to be processed').count()).toBe(0)
  await expect.poll(() => countReads(portal, body.referenceNumber)).toBe(2)

  // info that is saved later appears after a reload
  const info = { referenceNumber: body.referenceNumber, additionalInfo: { phoneHash: 'aa01' } }
  await call(portal.url, 'POST', '/api/datasets/v1/additionalinfo', {
    token: stack.tenant.uploaderKey,
    body: info,
  })
  await stack.untilProcessed(10_000)
  await page.reload()
  await section(page, 'Additional Info').getByText('aa01').waitFor()
})

test('related datasets of the device and of the client are shown as a chart and links', async () => {
  const device = {
    id: 'device of several',
    brand: 'samsung',
    model: 'SM-A546E',
    osVersion: '14',
    apiLevel: 34,
  }
  const references = ['LN-first', 'LN-second', 'LN-third', 'LN-elsewhere']
  for (const [at, referenceNumber] of references.entries()) {
    const capture = at < 3 ? aCapture({ device }) : aCapture({ device: { ...device, id: 'another' } })
    await sendCapture(portal, referenceNumber, capture, {
      clientId: at === 0 ? 'client of one' : 'client of several',
    })
    await portal.stack.untilProcessed(10_000)
  }
  const page = await openDataset(portal, 'LN-third')
  const others = section(page, 'Related datasets')
  await others.getByRole('img', { name: 'Device: 3 datasets. Client: 3 datasets.' }).waitFor()
  const rows = await others.getByRole('listitem').allTextContents()
  expect(
    rows.map((row) => [row.match(/^LN-[a-z]+?(?=\d)/)?.[0], row.match(/same (device|client)/g)]),
  ).toEqual([
    ['LN-elsewhere', ['same client']],
    ['LN-second', ['same device', 'same client']],
    ['LN-first', ['same device']],
  ])
  expect(rows.map((row) => row.match(/Client (client of [a-z]+?)(?=same)/)?.[1])).toEqual([
    ...['client of several', 'client of several', 'client of one'],
  ])
  const all = others.getByRole('link', { name: 'All from this device' })
  expect(await all.getAttribute('href')).toBe('/datasets#deviceId=device+of+several')
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-neighbours')
  for (const width of [360, 800, 1_000]) {
    await page.setViewportSize({ width, height: 800 })
    await vi.waitFor(() => checkFits(page), { timeout: 10_000 }) // charts resize asynchronously
  }
  await page.setViewportSize({ width: 1_280, height: 800 })
  await others.getByRole('link', { name: 'LN-first' }).click()
  await page.getByRole('heading', { name: 'LN-first' }).waitFor()
  const counts = page.getByRole('table', { name: 'Counts when processed and now' })
  await expect
    .poll(() => counts.getByRole('row').allInnerTexts())
    .toEqual([
      'Count\tWhen processed\tNow',
      'Datasets from this device\t1\t3',
      'Clients on this device\t1\t2',
      'Datasets from this client\t1\t1',
      'Devices of this client\t1\t1',
    ])
  await page.goBack()
  await page.getByRole('heading', { name: 'LN-third' }).waitFor()
})

test('deleting a dataset asks for confirmation; later readers see who deleted it and when', async () => {
  const body = anUpload()
  expect((await upload(portal.url, portal.stack.tenant.uploaderKey, body)).status).toBe(200)
  const page = await openDataset(portal, body.referenceNumber, portal.adminEmail)
  await page.getByText('Points by characteristic').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  expect(
    await portal.stack.db('datasets').where({ reference_number: body.referenceNumber }).pluck('status'),
  ).toEqual(['ready'])
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('Delete this dataset?').waitFor()
  await checkAccessibility(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('This dataset was deleted').waitFor()

  const later = await openDataset(portal, body.referenceNumber)
  await later.getByText(`Deleted by ${portal.adminEmail} on`).waitFor()
  expect(await later.getByRole('button', { name: 'Reprocess' }).count()).toBe(0)
  await checkAccessibility(later)
  await takeScreenshot(later, 'insight-deleted')
})

test('an unknown reference number links to the search, even if another subscription has it', async () => {
  const page = await openDataset(portal, 'LN-2O26-none')
  const expectSearchLink = async (unknown: Page, referenceNumber: string) => {
    await unknown.getByText('Your subscription has no dataset with this reference number').waitFor()
    await unknown.getByRole('main').getByText(referenceNumber, { exact: true }).waitFor()
    await unknown.getByRole('link', { name: /Search for/ }).click()
    await unknown.waitForURL(/\/datasets#search=/)
  }
  await expectSearchLink(page, 'LN-2O26-none')
  await page.goBack()
  await page.getByText('Your subscription has no dataset with this reference number').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-unknown')

  const other = await portal.stack.openTenant()
  await sendCapture(portal, 'LN-of-one', aCapture())
  for (const referenceNumber of ['LN-of-one', '50% & a/b #1'])
    await expectSearchLink(await openDataset(portal, referenceNumber, other.userEmail), referenceNumber)
})

test('reference numbers with percent signs and slashes have distinct URLs', async () => {
  const references = ['A/B', 'A%2FB', 'A%252FB', '100%', '%E0']
  for (const reference of references) await sendCapture(portal, reference, aCapture())
  await portal.stack.untilProcessed(10_000)
  const page = await portal.openAs(portal.stack.tenant.userEmail)
  for (const reference of references) {
    const before = await countReads(portal, reference)
    await page.goto(`/datasets/${encodeURIComponent(reference)}`)
    await page.getByRole('heading', { level: 1, name: reference, exact: true }).waitFor()
    await page.getByText('Points by characteristic').waitFor()
    expect(await countReads(portal, reference)).toBe(before + 1)
  }
})

test('info that is added while a page is open is read once, when the window regains focus', async () => {
  const reference = 'open all the time'
  await sendCapture(portal, reference, aCapture())
  await portal.stack.untilProcessed(10_000)
  const page = await openDataset(portal, reference)
  await page.getByText('Points by characteristic').waitFor()
  await refocusWindow(page)
  expect(await countReads(portal, reference)).toBe(1)

  await call(portal.url, 'POST', '/api/datasets/v1/additionalinfo', {
    token: portal.stack.tenant.uploaderKey,
    body: { referenceNumber: reference, additionalInfo: { phoneHash: 'aa01' } },
  })
  await portal.stack.untilProcessed(10_000)
  await refocusWindow(page)
  await section(page, 'Additional Info').getByText('aa01').waitFor()
  await expect.poll(() => countReads(portal, reference)).toBe(2)
})

/** Focuses the window once its data is old enough to be fetched again. */
async function refocusWindow(page: Page): Promise<void> {
  await page.waitForTimeout(5_500)
  const refetched = page.waitForResponse((response) => response.url().includes('/api/datasets/v1/'))
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
  await refetched
}
