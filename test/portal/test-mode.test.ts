import { expect, test } from 'vitest'
import { checkAccessibility, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'

const portal = withPortal()

test('a user makes captures in test mode, sees their insight, and finds nothing of them in live data', async () => {
  const page = await portal.openAs(portal.adminEmail, { at: '/datasets' })
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Test mode' }).click()
  await page.getByText('apart from your live ones').waitFor()
  await checkAccessibility(page)
  await page.getByRole('button', { name: 'Enter test mode' }).click()

  await page.getByRole('heading', { name: 'Make captures' }).waitFor()
  await page.getByText('show test data').waitFor()
  await page.getByLabel('Ring').check()
  await page.getByRole('textbox', { name: 'Count' }).fill('2')
  await page.getByRole('button', { name: 'Make captures' }).click()
  const links = page.getByRole('status').getByRole('link')
  await links.nth(1).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'test-mode')
  const referenceNumber = await links.first().innerText()
  await links.first().click()
  await page.getByRole('heading', { name: referenceNumber }).waitFor()
  await page.getByText('test_mode').first().waitFor()

  await page.getByRole('button', { name: 'Leave test mode' }).click()
  await page.getByText('No datasets yet').waitFor()
  expect(await page.getByText('show test data').count()).toBe(0)
})

test('a test key is created with a mark, and listed with it', async () => {
  const page = await portal.openAs(portal.adminEmail, { at: '/keys' })
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API key' })
  await dialog.getByLabel('Label').fill('a trial')
  await dialog.getByLabel('Test key').check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  expect(await page.getByTestId('key').innerText()).toMatch(/^ink_test_/)
  await page.getByRole('button', { name: 'I have copied the key' }).click()
  await page.getByRole('row').filter({ hasText: 'a trial' }).getByText('Test', { exact: true }).waitFor()
})
