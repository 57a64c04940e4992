import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { findSsoId } from '../../db/sign-in/sso-connections.ts'
import { checkAccessibility, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { CLIENT } from '../support/sso/lying-provider.ts'
import { type OidcProvider, openOidcProvider } from '../support/sso/open-oidc-provider.ts'

const portal = withPortal()

let provider: OidcProvider | undefined
afterAll(() => provider?.[Symbol.asyncDispose]())

/** Signs in on the pages of the provider. */
async function signInThere(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
}

test('an admin sets single sign-on up; a user signs in by it, steps up in a window and signs out there', async () => {
  const tenant = await portal.stack.openTenant()
  const admin = await portal.addAdmin(tenant)
  const callback = `/api/account/v1/sso/callback/${await findSsoId(portal.stack.db, tenant.subscriptionId)}`
  provider = await openOidcProvider({
    redirectUri: `${portal.url}${callback}`,
    signOutRedirectUri: `${portal.url}/login`,
  })

  const page = await portal.openAs(admin, { ownSession: true, at: '/security' })
  await page.getByRole('button', { name: 'Set up single sign-on' }).click()
  expect(await page.getByRole('textbox', { name: 'Redirect URI', exact: true }).inputValue()).toBe(
    `${portal.url}${callback}`,
  )
  await page.getByRole('textbox', { name: 'Issuer' }).fill(`${provider.issuer}/none`)
  await page.getByRole('textbox', { name: 'Client id' }).fill(CLIENT.clientId)
  await page.getByLabel('Client secret').fill(CLIENT.clientSecret)
  await page.getByRole('textbox', { name: 'E-mail domains' }).fill('sso.example')
  await page.getByRole('textbox', { name: 'Claim for the role' }).fill('groups')
  await page.getByRole('textbox', { name: 'Further scopes' }).fill('groups')
  await page.getByRole('textbox', { name: 'Roles by value' }).fill('risk = chief')
  await page.getByRole('button', { name: 'Save single sign-on' }).click()
  await page.getByText('Each line must be a value').waitFor()
  await page.getByRole('textbox', { name: 'Roles by value' }).fill('risk = admin')
  await page.getByRole('button', { name: 'Save single sign-on' }).click()
  await page.getByText('is not usable').waitFor()
  await page.getByRole('textbox', { name: 'Issuer' }).fill(provider.issuer)
  await page.getByRole('button', { name: 'Save single sign-on' }).click()
  await page.getByText('Single sign-on saved').waitFor()
  await page.getByText('sso.example: not confirmed').waitFor()
  await checkLooks(page, 'security-sso')
  await page.setViewportSize({ width: 1280, height: 800 })
  const link = await page.getByRole('textbox', { name: 'Sign-in link' }).inputValue()

  const user = await portal.openPage()
  await user.goto(`${link}&next=/users`)
  await signInThere(user, 'risk@sso.example')
  await user.getByRole('button', { name: 'Continue' }).click() // consents
  await user.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  await user.getByRole('button', { name: 'Account of risk@sso.example' }).waitFor()

  await portal.stack
    .db('sessions')
    .whereIn('user_id', portal.stack.db('users').where({ email: 'risk@sso.example' }).select('id'))
    .update({ authenticated_at: new Date(Date.now() - 11 * 60_000) })
  await user.getByRole('button', { name: 'Invite user' }).click()
  await user.getByRole('dialog', { name: 'Invite user' }).getByLabel('E-mail').fill('new@sso.example')
  await user.getByRole('button', { name: 'Invite', exact: true }).click()
  const dialog = user.getByRole('dialog', { name: "Confirm that it's you" })
  await dialog.getByText('A window opens').waitFor()
  await checkAccessibility(user)
  const opened = user.context().waitForEvent('page')
  await dialog.getByRole('button', { name: 'Open window' }).click()
  await signInThere(await opened, 'risk@sso.example')
  await user.getByRole('dialog', { name: 'Share invitation link' }).waitFor()
  await user.getByRole('button', { name: 'Done' }).click()

  await user.getByLabel(/^Account of/).click()
  await user.getByRole('menuitem', { name: 'Sign out' }).click()
  await user.getByRole('button', { name: /Yes, sign me out/ }).click()
  await user.getByRole('heading', { name: 'Sign in' }).waitFor()

  // a factor of this service is asked for after a provider that checks none
  const { id: userId } = await portal.stack.db('users').where({ email: 'risk@sso.example' }).first()
  const totp = new TOTP({ secret: new Secret({ size: 20 }) })
  await portal.stack.db('factors').insert({
    ...{ subscription_id: tenant.subscriptionId, user_id: userId, id: crypto.randomUUID(), kind: 'totp' },
    ...{ name: 'App', secret: Buffer.from(totp.secret.buffer), last_step: 0 },
  })
  await user.goto(`${link}&next=/users`)
  await signInThere(user, 'risk@sso.example')
  await user.getByRole('button', { name: 'Continue' }).click() // signing out has ended the consent
  await user.getByRole('heading', { name: "Confirm that it's you" }).waitFor()
  await user.getByLabel('Code of your authenticator app').fill(totp.generate())
  await user.getByRole('button', { name: 'Sign in', exact: true }).click()
  await user.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  expect(new URL(user.url()).hash).toBe('')
  await user.context().clearCookies()

  // where passwords are off, the sign-in page leads to the provider
  await portal.stack
    .db('sso_connections')
    .where({ subscription_id: tenant.subscriptionId })
    .update({ password_login: false })
  await portal.stack
    .db('sso_domains')
    .where({ subscription_id: tenant.subscriptionId })
    .update({ confirmed_at: new Date() })
  await user.goto('/login')
  await user.getByRole('textbox', { name: 'E-mail' }).fill('nobody@sso.example')
  await user.locator('[autocomplete="current-password"]').fill('any password')
  await user.getByRole('button', { name: 'Sign in', exact: true }).click()
  await checkAccessibility(user)
  await user.getByRole('link', { name: 'Go to the sign-in of your organisation' }).click()
  await user.getByPlaceholder('Enter any login').waitFor()

  // whoever has no role at the provider reads so on the sign-in page
  await user.goto(link)
  await signInThere(user, 'guest@other.example')
  await user.getByRole('button', { name: 'Continue' }).click()
  await user.getByText('You are not signed in').waitFor()
  await checkAccessibility(user)
  await takeScreenshot(user, 'login-sso-denied')
  await user.getByRole('button', { name: 'Use single sign-on' }).click()
  await user.getByLabel('E-mail').fill('risk@nowhere.example')
  await checkAccessibility(user)
  await user.getByRole('button', { name: 'Continue' }).click()
  await user.getByText('No single sign-on found').waitFor()
  expect(new URL(user.url()).searchParams.get('sso')).toBe('unknown')
})
