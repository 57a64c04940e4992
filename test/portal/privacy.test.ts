import { expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { checkAccessibility, checkFits, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'

const portal = withPortal()

test('an admin finds a person, exports and erases what is stored of them, and chooses the retention', async () => {
  const tenant = await portal.stack.openTenant()
  const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/privacy' })
  for (let n = 0; n < 2; n++) {
    const body = anUpload(aCapture({ device: { id: 'phone of C-1042' } }), {
      additionalInfo: { clientId: 'C-1042' },
    })
    expect((await upload(portal.url, tenant.uploaderKey, body)).status).toBe(200)
  }
  await portal.stack.untilProcessed(10_000)

  await page.getByText('No requests yet').waitFor()
  await page.getByRole('textbox', { name: 'Client id or device id' }).fill('C-1042')
  await page.getByRole('button', { name: 'Search' }).click()
  const found = page.getByRole('status', { name: 'What is stored' })
  await found.getByText('2 datasets, 1 device').waitFor()
  expect(page.url()).not.toContain('C-1042')
  await checkAccessibility(page)
  await checkFits(page)

  const downloading = page.waitForEvent('download')
  await found.getByRole('button', { name: 'Export' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/^person-[\d-]+\.tar\.gz$/)
  await page.getByRole('row').filter({ hasText: 'Export' }).getByText('Finished: 2 datasets').waitFor()

  await found.getByRole('button', { name: 'Erase' }).click()
  const dialog = page.getByRole('dialog', { name: 'Erase this person?' })
  await dialog.getByText('permanently deletes 2 datasets').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'privacy-erase')
  await dialog.getByRole('button', { name: 'Erase permanently' }).click()
  await page.getByRole('row').filter({ hasText: 'Erasure' }).getByText('Finished: 2 datasets').waitFor()
  expect(await page.getByRole('table', { name: 'Requests' }).textContent()).not.toContain('C-1042')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('Nothing is stored under this identifier').waitFor()

  await page.getByText('Captures are stored for 2 years').waitFor()
  await page
    .getByRole('radiogroup', { name: 'Captures' })
    .getByRole('radio', { name: 'Store indefinitely' })
    .check()
  await page.getByRole('button', { name: 'Save retention' }).click()
  await page.getByText('Retention changed').waitFor()
  await page.reload()
  await expect
    .poll(() =>
      page
        .getByRole('radiogroup', { name: 'Captures' })
        .getByRole('radio', { name: 'Store indefinitely' })
        .isChecked(),
    )
    .toBe(true)
})
