import { expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { checkAccessibility, takeScreenshot } from '../support/portal/check-page.ts'
import { logInAs } from '../support/portal/open-portal.ts'
import { withPortal } from '../support/portal/with-portal.ts'

const portal = withPortal()

test.each([
  ['/audit?since=nonsense', 'From is “nonsense”'],
  ['/datasets#status=nonsense', 'Status is “nonsense”'],
  ['/datasets#since=someday', 'From is “someday”'],
  ['/datasets?period=1y', 'Uploaded is “1y”'],
  ['/datasets?scoreFrom=500', 'Scorecard is missing'],
])('a link with an invalid filter, %s, names the filter, which can be removed', async (at, words) => {
  const page = await portal.openAs(portal.adminEmail, { at })
  await page.getByText('This link has an invalid filter').waitFor()
  await page.getByText(words).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'invalid-filter')
  await page.getByRole('button', { name: 'Remove it' }).click()
  await page.getByText('This link has an invalid filter').waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: at.startsWith('/audit') ? 'Audit log' : 'Datasets' }).waitFor()
  expect(new URL(page.url()).search).not.toContain('nonsense')
})

test('an offline browser shows a message, and lists load again after it reconnects', async () => {
  const tenant = await portal.stack.openTenant()
  expect(
    (await upload(portal.url, tenant.uploaderKey, anUpload(undefined, { referenceNumber: 'LN-1' }))).status,
  ).toBe(200)
  const page = await portal.openAs(tenant.userEmail)
  await page.getByRole('link', { name: 'LN-1' }).waitFor()
  await page.context().setOffline(true)
  await page.getByText("You're offline", { exact: true }).waitFor()
  await page.getByRole('searchbox').fill('LN-2')
  await page.getByText("Couldn't load datasets").waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'offline')
  await page.context().setOffline(false)
  await page.getByText("You're offline", { exact: true }).waitFor({ state: 'detached' })
  await page.getByText('No results').waitFor()
})

test('an unanswered request shows a timeout message after 30 s, and the list is retried automatically', async () => {
  const page = await portal.openPage()
  await logInAs(page, portal.stack.tenant.userEmail, { at: '/account' })
  await page.clock.install()
  let isHanging = true
  await page.route('**/api/datasets/v1/search', (route) => (isHanging ? undefined : route.continue()))
  const requested = page.waitForRequest('**/api/datasets/v1/search')
  await page.goto('/datasets')
  await requested
  await page.clock.runFor('00:31')
  await page.getByText("Couldn't load datasets").waitFor()
  await page.getByText('did not respond in time').waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await takeScreenshot(page, 'hanging')
  isHanging = false
  await page.clock.runFor('00:11')
  await page.clock.runFor('00:31')
  await page.clock.runFor('00:11')
  await page.getByText('No datasets yet').waitFor()
})
