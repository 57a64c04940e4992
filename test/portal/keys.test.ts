import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { changeLimits, WHOLE } from '../../db/limits/limits.ts'
import { anActor } from '../support/actors.ts'
import { anUpload } from '../support/captures.ts'
import { call, upload } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { checkAccessibility, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'

const portal = withPortal()

async function openKeys(): Promise<Page> {
  const page = await portal.openAs(portal.adminEmail, { at: '/keys' })
  await page.getByRole('table', { name: 'API keys' }).waitFor()
  return page
}

const rowOf = (page: Page, label: string) => page.getByRole('row').filter({ hasText: label })

/** Creates a key in the dialog. @returns the key that it shows. */
async function createKey(page: Page, label: string, options: { role?: string; expires?: string } = {}) {
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API key' })
  await dialog.getByLabel('Label').fill(label)
  if (options.role) await dialog.getByLabel(options.role).check()
  if (options.expires) {
    await dialog.getByRole('combobox', { name: 'Expires' }).click()
    await page.getByRole('option', { name: options.expires }).click()
  }
  await dialog.getByRole('button', { name: 'Create key' }).click()
  return (await page.getByTestId('key').innerText()).trim()
}

test('a created key works, is shown once, and is refused within 5 s of its revocation', async () => {
  const page = await openKeys()
  const key = await createKey(page, 'loan backend', { expires: 'In 90 days' })
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  await dialog.getByText('It is not shown again').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'keys-shown')

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await dialog.getByRole('button', { name: 'Copy key' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  await page.keyboard.press('Escape') // does not close the dialog
  expect(await dialog.isVisible()).toBe(true)
  await dialog.getByRole('button', { name: 'I have copied the key' }).click()
  await dialog.waitFor({ state: 'hidden' })

  expect((await upload(portal.url, key, anUpload())).status).toBe(200)
  await page.reload()
  const row = rowOf(page, 'loan backend')
  await row.getByText('Active').waitFor()
  await row.getByText(key.slice(0, 10)).waitFor()
  await row.getByText('in 3 months').waitFor()
  await vi.waitFor(async () => {
    await page.reload()
    await row.getByText('now').or(row.getByText(/ago$/)).first().waitFor({ timeout: 1_000 })
  }, 10_000)
  expect(await page.content()).not.toContain(key.slice(10))
  await takeScreenshot(page, 'keys')

  await row.getByRole('button', { name: 'Revoke loan backend' }).click()
  const confirmation = page.getByRole('dialog', { name: 'Revoke loan backend?' })
  await confirmation.getByText('get 401 within 5 seconds').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'keys-revoke')
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  expect((await upload(portal.url, key, anUpload())).status).toBe(200)

  await row.getByRole('button', { name: 'Revoke loan backend' }).click()
  await confirmation.getByRole('button', { name: 'Revoke key' }).click()
  await row.getByText('Revoked').waitFor()
  await vi.waitFor(async () => expect((await upload(portal.url, key, anUpload())).status).toBe(401), {
    timeout: 5_000,
    interval: 100,
  })
  expect(await row.getByRole('button').count()).toBe(0)
})

test('the key is not in the page, its URL or its storage after the dialog is closed', async () => {
  const page = await openKeys()
  const key = await createKey(page, 'short-lived', { role: 'Requester' })
  expect((await call(portal.url, 'GET', '/api/insights/v1/none', { token: key })).status).toBe(404)
  await page.getByRole('button', { name: 'I have copied the key' }).click()
  await page.getByTestId('key').waitFor({ state: 'detached' })
  const secret = key.slice(10)
  expect(await page.content()).not.toContain(secret)
  expect(page.url()).not.toContain(secret)
  const stored = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])',
  )
  expect(stored).not.toContain(secret)
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog', { name: 'Create API key' }).waitFor()
  expect(await page.content()).not.toContain(secret)
})

test('a key can be created with scopes instead of a role, which the list shows', async () => {
  const page = await openKeys()
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API key' })
  await dialog.getByLabel('Label').fill('privacy desk')
  await dialog.getByRole('radio', { name: 'Scopes' }).check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByText('must have at least one scope').waitFor()
  for (const scope of ['datasets:delete', 'datasets:read']) await dialog.getByLabel(scope).check()
  await checkAccessibility(page)
  await takeScreenshot(page, 'keys-scopes')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = (await page.getByTestId('key').innerText()).trim()
  expect((await call(portal.url, 'GET', '/api/datasets/v1', { token: key })).status).toBe(200)
  await page.getByRole('button', { name: 'I have copied the key' }).click()
  await rowOf(page, 'privacy desk').getByText('datasets:read, datasets:delete').waitFor()
})

test('validation errors are shown beside the field before anything is sent', async () => {
  const page = await openKeys()
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API key' })
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByText('must have at least 1 character').waitFor()
  await dialog.getByRole('combobox', { name: 'Expires' }).click()
  await page.getByRole('option', { name: 'In a custom number of days' }).click()
  await dialog.getByLabel('Days').fill('')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByText('must be a whole number of days').waitFor()
  await dialog.getByLabel('Allowed networks').fill('10.0.0.0/8\noffice')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByText('office must be an address or a network').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'keys-faults')
})

test('a key can be created with the keyboard alone', async () => {
  const page = await openKeys()
  await page.getByRole('button', { name: 'Create key' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Create API key' }).waitFor()
  await eventually(async () =>
    expect(await page.evaluate('document.activeElement.getAttribute("placeholder")')).toContain('backend'),
  )
  await page.keyboard.type('by keyboard')
  await page.keyboard.press('Enter')
  await page.getByTestId('key').waitFor()
  expect(await page.getByTestId('key').innerText()).toMatch(/^ink_/)
})

test('the page and the dialog with the new key fit a phone, light and dark', async () => {
  const page = await openKeys()
  await checkLooks(page, 'keys')
  await createKey(page, 'on a phone')
  await checkLooks(page, 'keys-shown')
})

test('a subscription without keys can create its first one, which stays visible after the list appears', async () => {
  const tenant = await portal.stack.openTenant()
  await portal.stack.db('api_keys').where({ subscription_id: tenant.subscriptionId }).delete()
  const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/keys' })
  await page.getByText('No keys yet').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'keys-empty')
  await page.getByRole('button', { name: 'Create key' }).last().click()
  await page.getByLabel('Label').fill('first')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('table', { name: 'API keys', includeHidden: true }).waitFor() // replaces the empty state
  expect(await page.getByTestId('key').innerText()).toMatch(/^ink_/)
})

test('keys beyond the first 50 load on demand', async () => {
  const tenant = await portal.stack.openTenant()
  await portal.stack.db.raw(
    `insert into api_keys (subscription_id, key_hash, role, label, created_at)
     select ?, decode(md5('many' || i::text), 'hex'), 'uploader', 'many ' || i, now() + i * interval '1 ms'
     from generate_series(1, 60) i`,
    [tenant.subscriptionId],
  )
  const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/keys' })
  await rowOf(page, 'many 60').waitFor()
  expect(await page.getByRole('row').count()).toBe(51)
  await page.getByRole('button', { name: 'Load more' }).click()
  await rowOf(page, 'many 1').first().waitFor()
  expect(await page.getByRole('row').count()).toBe(63)
  expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0)
})

test('a list that fails to load shows the error and can be retried', async () => {
  const page = await portal.openAs(portal.adminEmail, { at: '/account' })
  await page.route('**/api/keys/v1*', (route) =>
    route.fulfill({ status: 403, json: { title: 'forbidden', detail: 'Not now' } }),
  )
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('alert').getByText('Not now').waitFor()
  await page.unroute('**/api/keys/v1*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('table', { name: 'API keys' }).waitFor()
})

test('limits are shown with what is used of them', async () => {
  const tenant = await portal.stack.openTenant()
  const { subscriptionId } = tenant
  const uploader = { subscription_id: subscriptionId, role: 'uploader' }
  const [{ id: keyId }] = await portal.stack.db('api_keys').where(uploader)
  const actor = anActor('operator')
  for (const [id, change] of [
    [WHOLE, { datasetsPerDay: 4, bytesStored: 50_000_000, requestsPerSecond: 200 }],
    [keyId, { datasetsPerDay: 2 }],
  ] as const)
    await changeLimits(portal.stack.db, { subscriptionId, keyId: id, actor, change })
  expect((await upload(portal.url, tenant.uploaderKey, anUpload())).status).toBe(200)
  const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/keys' })
  await page.getByRole('link', { name: 'Limits' }).click()
  const datasets = page.getByRole('region', { name: 'Datasets today' })
  await datasets.getByText('of 4 · 25%').waitFor({ timeout: 20_000 })
  expect(await datasets.getByRole('progressbar').getAttribute('aria-valuetext')).toBe('25%')
  await page.getByRole('region', { name: 'Stored captures' }).getByText('of 50 MB').waitFor()
  await page.getByText('200, 2,000 at once').waitFor()
  await page.getByRole('table', { name: 'Use of API keys' }).getByText('1 of 2').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'limits')
  await checkLooks(page, 'limits')
})
