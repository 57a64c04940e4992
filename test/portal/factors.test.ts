import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkAccessibility, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { PASSWORD } from '../support/service.ts'

const portal = withPortal()

/** Opens a separate subscription with an admin. */
async function openAdmin() {
  const tenant = await portal.stack.openTenant()
  return { tenant, admin: await portal.addAdmin(tenant) }
}

/** Gives the browser of a page an authenticator that is part of the device, whose user unlocks it. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

async function attempt(page: Page, userEmail: string): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(userEmail)
  await page.locator('[autocomplete="current-password"]').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByLabel(/^Account of/).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

const untilSignedIn = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).waitFor()

const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

/** Makes the sign-ins of a user older than a step-up may be. */
const letTimePass = (email: string) =>
  portal.stack
    .db('sessions')
    .whereIn('user_id', portal.stack.db('users').where({ email }).select('id'))
    .update({ authenticated_at: new Date(Date.now() - 11 * 60_000) })

test('a user adds a passkey, and signs in with it after the password and without one', async () => {
  const { admin } = await openAdmin()
  const page = await portal.openAs(admin, { ownSession: true, at: '/account' })
  await addAuthenticator(page)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add passkey' })
  await dialog.getByLabel('Name').fill('My laptop')
  await checkAccessibility(page)
  await dialog.getByRole('button', { name: 'Create passkey' }).click()
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  await codes.getByText('not shown again').waitFor()
  expect(await codes.locator('code').count()).toBe(10)
  await checkAccessibility(page)
  await codes.getByRole('button', { name: 'I have stored the codes' }).click()
  await page.getByText('My laptop').waitFor()
  await page.getByText('10 recovery codes are left.').waitFor()
  await checkLooks(page, 'account-factors')
  await page.setViewportSize({ width: 1280, height: 800 })

  await signOut(page)
  await attempt(page, admin)
  await page.getByRole('heading', { name: "Confirm that it's you" }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'login-second-factor')
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await untilSignedIn(page)

  await signOut(page)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await untilSignedIn(page)
})

test('where the policy requires it, the portal shows only the page that adds a factor, until there is one', async () => {
  const { admin } = await openAdmin()
  const page = await portal.openAs(admin, { ownSession: true, at: '/security' })
  await page.getByRole('radio', { name: 'Everybody' }).check()
  await page.getByRole('switch', { name: 'Four eyes for scorecards' }).check({ force: true })
  await checkLooks(page, 'security')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Save policy' }).click()
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
  await page.goto('/datasets')
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'factor-required')

  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add authenticator app' })
  const picture = dialog.getByRole('img', { name: 'QR code with the secret' }).locator('path')
  await expect.poll(() => picture.getAttribute('d')).toContain('h1v1')
  const secret = await dialog.locator('code').innerText()
  await dialog.getByLabel('Code that the app shows').fill('000000')
  await dialog.getByRole('button', { name: 'Add app' }).click()
  await dialog.getByText('is not the answer to this challenge').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'add-totp')
  await dialog.getByLabel('Code that the app shows').fill(codeOf(secret))
  await dialog.getByRole('button', { name: 'Add app' }).click()
  await page.getByRole('button', { name: 'I have stored the codes' }).click()
  await untilSignedIn(page)

  await signOut(page)
  await attempt(page, admin)
  await page.getByLabel('Code of your authenticator app').fill('000000')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('The code or passkey is wrong').waitFor()
  await page.getByLabel('Code of your authenticator app').fill(codeOf(secret, 1))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await untilSignedIn(page)
})

test('an old sign-in is confirmed in a dialog, after which the request is repeated with all that was typed', async () => {
  const { admin } = await openAdmin()
  const page = await portal.openAs(admin, { ownSession: true, at: '/keys' })
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByRole('dialog').getByLabel('Label').fill('Loan backend')
  await letTimePass(admin)
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: "Confirm that it's you" })
  await dialog.locator('[autocomplete="current-password"]').fill('a wrong password')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('is not your password').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'step-up')
  await dialog.locator('[autocomplete="current-password"]').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('dialog', { name: 'Your new key' }).getByText('Loan backend').waitFor()
})
