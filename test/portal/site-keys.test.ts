import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkAccessibility, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { addSiteKey } from '../support/site-keys.ts'

const portal = withPortal()

const openSiteKeys = (): Promise<Page> => portal.openAs(portal.adminEmail, { at: '/keys' })

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('a site key is created, changed, rotated and revoked', async () => {
  const page = await openSiteKeys()
  await page.getByRole('link', { name: 'Site keys' }).click()
  await page.getByText('An origin list stops misuse by other pages, not by programs').waitFor()
  await page.getByText('No site keys yet').waitFor()
  await checkAccessibility(page)

  await page.getByRole('button', { name: 'Create site key' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Create site key' })
  await dialog.getByLabel('Origins').fill('https://shop.example/apply\nhttps://www.shop.example')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByText('must have at least 1 character').waitFor()
  await dialog.getByText('https://shop.example/apply must be https://shop.example').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'site-keys-faults')
  await dialog.getByLabel('Label').fill('shop')
  await dialog.getByLabel('Origins').fill('https://shop.example\n https://www.shop.example\n')
  await dialog.getByLabel('Verified').check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const row = rowOf(page, 'shop')
  await row.getByText('Verified').waitFor()
  const [stored] = await portal.stack
    .db('site_keys')
    .where({ subscription_id: portal.stack.tenant.subscriptionId })
  expect(stored).toMatchObject({
    ...{ level: 'verified', modules: [], max_collections_per_day: 10_000 },
    origins: ['https://shop.example', 'https://www.shop.example'],
  })
  await row.getByText(stored.key).waitFor()

  await row.getByRole('button', { name: 'Change shop' }).click()
  const changes = page.getByRole('dialog', { name: 'Change shop' })
  await changes.getByLabel('Origins').fill('https://apply.example')
  await changes.getByLabel('Graphics module').check()
  await changes.getByRole('button', { name: 'Save' }).click()
  await row.getByText('https://apply.example').waitFor()
  await changes.waitFor({ state: 'hidden' })

  await row.getByRole('button', { name: 'Rotate shop' }).click()
  const rotation = page.getByRole('dialog', { name: 'Rotate shop?' })
  await rotation.getByText('still works for 24 hours').waitFor()
  await checkAccessibility(page)
  await rotation.getByRole('button', { name: 'Rotate key' }).click()
  const before = rowOf(page, stored.key)
  await before.getByText('Expires soon').waitFor()
  expect(await before.getByRole('button', { name: 'Rotate shop' }).count()).toBe(0)
  expect(await rowOf(page, 'apply.example').count()).toBe(2)

  await before.getByRole('button', { name: 'Revoke shop' }).click()
  const revocation = page.getByRole('dialog', { name: 'Revoke shop?' })
  await revocation.getByText('Never used.').waitFor()
  await revocation.getByRole('button', { name: 'Revoke key' }).click()
  await before.getByText('Revoked').waitFor()
})

test('use is shown by day; page and dialog fit a phone, light and dark', async () => {
  const { db, openTenant } = portal.stack
  const tenant = await openTenant()
  const { subscriptionId } = tenant
  const { id } = await addSiteKey(db, { subscriptionId, label: 'busy shop' })
  await db.raw(
    `insert into site_key_days (subscription_id, site_key_id, day, opened, completed, abandoned, rejected, bytes)
     select ?, ?, (now() at time zone 'UTC')::date - before, 1000 + before, 900, 80, 7, 1500000
     from generate_series(0, 2) before`,
    [subscriptionId, id],
  )
  const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/keys/site' })
  await page.getByRole('table', { name: 'Site keys' }).waitFor()
  await checkLooks(page, 'site-keys')
  await page.getByRole('button', { name: 'use of busy shop by day' }).click()
  await page.getByRole('img', { name: /Completed: 2,700. Not completed: 303. Rejected: 21/ }).waitFor()
  const days = page.getByRole('table', { name: 'Use by day' }).getByRole('row')
  await days.first().waitFor()
  expect(await days.count()).toBe(5)
  expect((await days.last().innerText()).split(/\s*\t\s*/)).toEqual([
    ...['Total', '3,003', '2,700', '240', '21', '4.5 MB'],
  ])
  await checkAccessibility(page)
  await takeScreenshot(page, 'site-keys-use')
})
