import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createAuditedApiKey } from '../../db/accounts/api-keys.ts'
import { checkAccessibility, checkFits, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { untilRefused } from '../support/portal/open-portal.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { addUser, PASSWORD } from '../support/service.ts'

const portal = withPortal()

/** Opens a separate subscription with an admin and an analyst. */
async function openSubscription() {
  const tenant = await portal.stack.openTenant()
  return { analyst: tenant.userEmail, admin: await portal.addAdmin(tenant) }
}

async function openUsers(admin: string): Promise<Page> {
  const page = await portal.openAs(admin, { at: '/users' })
  await page.getByRole('button', { name: `Actions for ${admin}` }).waitFor()
  return page
}

const rowOf = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email })

async function choose(page: Page, email: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${email}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

const readLink = (page: Page) => page.getByRole('textbox', { name: 'Link' }).inputValue()

async function setPassword(page: Page, link: string, password: string): Promise<void> {
  await page.goto(link)
  await page.locator('[autocomplete="new-password"]').first().fill(password)
  await page.locator('[autocomplete="new-password"]').last().fill(password)
  await page.getByRole('button', { name: 'Set password and sign in' }).click()
}

test('an admin invites a user, who sets a password through the link and is signed in', async () => {
  const { admin } = await openSubscription()
  const page = await openUsers(admin)
  await checkAccessibility(page)
  await page.getByRole('button', { name: 'Invite user' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite user' })
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('no e-mail')
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await dialog.getByText('must be an e-mail address').waitFor()
  await checkAccessibility(page)
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(admin)
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await dialog.getByText('This e-mail is taken').waitFor()
  const invited = `invited-${crypto.randomUUID()}@lender.example`
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(invited)
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('dialog', { name: 'Share invitation link' }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'users-link')
  const link = await readLink(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await rowOf(page, invited).getByText('Invited', { exact: true }).waitFor()
  await takeScreenshot(page, 'users')

  const user = await portal.openPage({ width: 'phone' })
  await user.goto(link)
  await user.getByRole('heading', { name: 'Set your password' }).waitFor()
  await checkAccessibility(user)
  await checkFits(user)
  await takeScreenshot(user, 'invitation-phone')
  await user.locator('[autocomplete="new-password"]').first().fill('too short')
  await user.locator('[autocomplete="new-password"]').last().fill('another')
  await user.getByRole('button', { name: 'Set password and sign in' }).click()
  await user.getByText('must have at least 12 characters').waitFor()
  await user.getByText('Passwords do not match').waitFor()
  await setPassword(user, link, 'a password of my own')
  await user.getByRole('button', { name: `Account of ${invited}` }).waitFor()

  const late = await portal.openPage()
  await setPassword(late, link, 'another password')
  await late.getByRole('heading', { name: 'This link is no longer valid' }).waitFor()
  await checkAccessibility(late)
  await page.reload()
  await rowOf(page, invited).getByText('Active', { exact: true }).waitFor()
})

test('an admin changes roles, disables and enables users and resets passwords, each after confirmation', async () => {
  const { admin, analyst } = await openSubscription()
  const other = await portal.openAs(analyst)
  const page = await openUsers(admin)
  await choose(page, analyst, 'Make an admin')
  await checkAccessibility(page)
  await page.getByRole('button', { name: 'Make admin' }).click()
  await rowOf(page, analyst).getByRole('cell', { name: 'Admin', exact: true }).waitFor()

  await choose(page, analyst, 'Disable')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await rowOf(page, analyst).getByText('Active', { exact: true }).waitFor()
  await choose(page, analyst, 'Disable')
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await rowOf(page, analyst).getByText('Disabled', { exact: true }).waitFor()
  await untilRefused(other)
  await other.goto('/datasets')
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()

  await choose(page, analyst, 'Enable')
  await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
  await rowOf(page, analyst).getByText('Active', { exact: true }).waitFor()
  await choose(page, analyst, 'Reset password')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('dialog', { name: 'Share invitation link' }).waitFor()
  const link = await readLink(page)
  await setPassword(other, link, `${PASSWORD} anew`)
  await other.getByRole('button', { name: `Account of ${analyst}` }).waitFor()
})

test('an admin deletes a user and decides on the keys that the user created', async () => {
  const { admin } = await openSubscription()
  const page = await openUsers(admin)
  const subscription = await portal.stack.db('users').where({ email: admin }).first()
  const maker = `maker-${crypto.randomUUID()}@lender.example`
  const id = await addUser(portal.stack.db, subscription.subscription_id, maker, 'admin')
  await createAuditedApiKey(portal.stack.db, {
    subscriptionId: subscription.subscription_id,
    role: 'uploader',
    label: 'loan backend',
    actor: { kind: 'user', id, name: maker },
  })
  await page.reload()
  await choose(page, maker, 'Delete')
  const dialog = page.getByRole('dialog', { name: `Delete ${maker}?` })
  await checkAccessibility(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('loan backend (API key)').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'users-delete-keys')
  await dialog.getByLabel('Keep them').check()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText(`${maker} is deleted`).waitFor()
  await rowOf(page, maker).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'API keys' }).click()
  await rowOf(page, 'loan backend').getByText(`by ${maker}`).waitFor()
})

test('the last admin cannot be demoted, and admins cannot disable themselves', async () => {
  const { admin } = await openSubscription()
  const page = await openUsers(admin)
  await checkLooks(page, 'users')
  await choose(page, admin, 'Make an analyst')
  await page.getByRole('button', { name: 'Make analyst' }).click()
  await page.getByText('This is the last active admin').waitFor()
  await checkAccessibility(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: `Actions for ${admin}` }).click()
  expect(await page.getByRole('menuitem', { name: 'Disable' }).isDisabled()).toBe(true)
})

test('a list that fails to load shows an error and can be retried', async () => {
  const { admin } = await openSubscription()
  const page = await portal.openAs(admin, { at: '/account' })
  let isUnavailable = true
  await page.route('**/api/users/v1*', (route) => (isUnavailable ? route.abort() : route.continue()))
  await page.getByRole('link', { name: 'Users' }).click()
  await page.getByText('The service cannot be reached').waitFor()
  isUnavailable = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: `Actions for ${admin}` }).waitFor()
})
