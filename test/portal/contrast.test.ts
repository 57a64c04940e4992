import { expect, test } from 'vitest'
import { checkAccessibility, checkColours, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'

const portal = withPortal()

test.each([
  { look: 'light', dark: false },
  { look: 'dark', dark: true },
])('toasts and danger buttons are readable and have names, $look', async ({ look, dark }) => {
  const tenant = await portal.stack.openTenant()
  const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/keys', dark })
  await page
    .getByRole('button', { name: /^Revoke / })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, `danger-button-${look}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const toast = page.getByRole('alert').filter({ hasText: 'Key revoked' })
  await toast.hover() // it stays while the pointer is on it
  await checkAccessibility(page)
  await takeScreenshot(page, `toast-${look}`)
  await toast.getByRole('button', { name: 'Close' }).click()
  await toast.waitFor({ state: 'detached' })

  await page.goto('/users')
  await page.getByRole('button', { name: new RegExp(tenant.userEmail) }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).waitFor()
  await checkColours(page)
  await takeScreenshot(page, `danger-menu-${look}`)
})

test('the number of results is announced, and truncated names have a title', async () => {
  const page = await portal.openAs(portal.stack.tenant.userEmail)
  const announced = page.getByRole('status').filter({ hasText: '0 datasets found' })
  await announced.waitFor({ state: 'attached' })
  const truncated = await page.evaluate(
    "[...document.querySelectorAll('[data-truncate]')].filter((one) => !one.title).map((one) => one.outerHTML)",
  )
  expect(truncated).toEqual([])
})
