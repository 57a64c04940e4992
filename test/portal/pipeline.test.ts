import { expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { checkAccessibility, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import type { Tenant } from '../support/service.ts'

const portal = withPortal()

const NOT_GZIP = Buffer.from('no gzip').toString('base64')

const rowsOf = ({ subscriptionId }: Tenant) =>
  portal.stack.db('datasets').where({ subscription_id: subscriptionId })

/** Uploads datasets concurrently; the first ones are invalid. */
async function sendBurst({ uploaderKey }: Tenant, { ready, invalid }: { ready: number; invalid: number }) {
  const bodies = Array.from({ length: ready + invalid }, (_, n) =>
    anUpload(aCapture(), n < invalid ? { data: NOT_GZIP } : {}),
  )
  const answers = await Promise.all(bodies.map((body) => upload(portal.url, uploaderKey, body)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
}

test('a subscription without uploads sees a message and a link to the upload instructions', async () => {
  const page = await portal.openAs(portal.adminEmail, { at: '/pipeline' })
  await page.getByText('No uploads in the last hour').waitFor()
  await page.getByRole('link', { name: 'How to upload' }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'pipeline-empty')
})

test('after a burst with invalid datasets the page shows the counts of the database and can reprocess the invalid ones', async () => {
  const tenant = await portal.stack.openTenant()
  const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/pipeline' })
  await page.getByText('No uploads in').waitFor()
  await sendBurst(tenant, { ready: 23, invalid: 4 })

  // without a reload: web and worker save their counts every 5 s, and the page polls as often
  const tile = (name: string) => page.getByRole('region', { name })
  await expect.poll(() => tile('Uploads, last hour').textContent(), { timeout: 30_000 }).toContain('27')
  await expect.poll(() => tile('Invalid, last hour').textContent(), { timeout: 30_000 }).toContain('4')
  expect(await rowsOf(tenant)).toHaveLength(27)
  expect(await rowsOf(tenant).where({ status: 'invalid' })).toHaveLength(4)
  await tile('Waiting now').getByText('All uploads are processed.').waitFor()
  expect(await tile('Waiting now').textContent()).toContain('now0')
  await page.getByRole('img', { name: /^Uploads per minute over the last hour: 27 in total/ }).waitFor()
  await page.getByRole('img', { name: /^Processing time over the last hour: p50 / }).waitFor()
  await page.getByRole('img', { name: /^Invalid datasets per minute over the last hour: 4/ }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'pipeline')

  const uploads = page.getByRole('region', { name: 'Uploads per minute' })
  await uploads.getByRole('button', { name: 'Show table' }).click()
  await expect.poll(() => uploads.getByRole('row').count(), { timeout: 10_000 }).toBe(61)
  const cells = await uploads.getByRole('row').locator('td:first-of-type').allTextContents()
  expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(27)
  await checkAccessibility(page)
  await takeScreenshot(page, 'pipeline-table')

  // corrects the invalid data
  const { data } = anUpload()
  await rowsOf(tenant)
    .where({ status: 'invalid' })
    .update({ blob: Buffer.from(data as string, 'base64') })
  const reason = page.getByRole('listitem', { name: 'not_gzip' })
  expect(await reason.getByRole('link', { name: 'Show datasets with not_gzip' }).getAttribute('href')).toBe(
    '/datasets#status=invalid&invalidCode=not_gzip',
  )
  portal.worker.send('SIGSTOP') // keeps the progress visible
  await reason.getByRole('button', { name: 'Reprocess: not_gzip' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('4 invalid datasets will be decoded again').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'pipeline-reprocess')
  await dialog.getByRole('button', { name: 'Reprocess' }).click()
  await page.getByText('Reprocessing 4 datasets').waitFor()
  await page.getByText('Reprocessing: 0 of 4 done').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'pipeline-reprocessing')
  portal.worker.send('SIGCONT')
  await expect
    .poll(async () => (await rowsOf(tenant).where({ status: 'ready' })).length, { timeout: 20_000 })
    .toBe(27)
  await page.getByText('Reprocessing:').waitFor({ state: 'detached' })
  await reason.getByText('0 now').waitFor()
  await reason.getByText('4 in the last hour').waitFor() // still counted in this hour
})

test('the last day has its own URL', async () => {
  const tenant = await portal.stack.openTenant()
  await sendBurst(tenant, { ready: 5, invalid: 0 })
  const { db } = portal.stack
  const counted = () =>
    db('pipeline_counts').where({ subscription_id: tenant.subscriptionId }).sum('uploads as uploads')
  await expect.poll(async () => Number((await counted())[0]?.uploads), { timeout: 20_000 }).toBe(5)
  const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/pipeline' })
  await page.getByText('Last day').click()
  await page.getByRole('img', { name: /^Uploads per 15 minutes over the last day: 5 in total/ }).waitFor()
  expect(new URL(page.url()).search).toBe('?window=day')
  await page.reload()
  await page.getByRole('img', { name: /^Uploads per 15 minutes/ }).waitFor()
})

test('overdue datasets are shown with their age and can be enqueued again', async () => {
  const tenant = await portal.stack.openTenant()
  portal.worker.send('SIGSTOP')
  try {
    await sendBurst(tenant, { ready: 6, invalid: 0 })
    // enqueued in vain for five minutes, with the next attempt in ten
    await rowsOf(tenant).update({
      rings: 6,
      ring_at: new Date(Date.now() + 600_000),
      uploaded_at: new Date(Date.now() - 300_000),
    })
    const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/pipeline' })
    const waiting = page.getByRole('region', { name: 'Waiting now' })
    await expect
      .poll(() => waiting.textContent(), { timeout: 20_000 })
      .toMatch(/now6The oldest was uploaded 5(\.\d)? min ago/)
    await page.getByText('6 datasets are overdue').waitFor()
    await checkAccessibility(page)
    await takeScreenshot(page, 'pipeline-overdue')
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('Enqueued 6 datasets again').waitFor()
    portal.worker.send('SIGCONT')
    await waiting.getByText('All uploads are processed.').waitFor()
    await page.getByText('6 datasets are overdue').waitFor({ state: 'hidden' })
    expect(await rowsOf(tenant).where({ status: 'ready' })).toHaveLength(6)
  } finally {
    portal.worker.send('SIGCONT')
  }
})

test('the page fits a phone, light and dark', async () => {
  await sendBurst(portal.stack.tenant, { ready: 12, invalid: 3 })
  const page = await portal.openAs(portal.adminEmail, { at: '/pipeline' })
  await page
    .getByRole('img', { name: /^Processing time over the last hour: p50/ })
    .waitFor({ timeout: 30_000 })
  await checkLooks(page, 'pipeline')
})
