import { hostname } from 'node:os'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { suspendSubscription } from '../../db/accounts/subscriptions.ts'
import { eventually } from '../support/eventually.ts'
import { checkAccessibility, checkFits, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { logInAs, untilRefused } from '../support/portal/open-portal.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { addUser, PASSWORD } from '../support/service.ts'

const portal = withPortal()

/** Opens a separate subscription. @returns the e-mail address of its user. */
const openUser = async () => (await portal.stack.openTenant()).userEmail

async function attempt(page: Page, userEmail: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(userEmail)
  await page.locator('[autocomplete="current-password"]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function revokeSessions(email: string): Promise<void> {
  const { db } = portal.stack
  const users = db('users').where({ email }).select('id')
  await db('sessions').whereIn('user_id', users).update({ revoked_at: new Date() })
}

const untilSignedIn = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).waitFor()
const untilSignedOut = (page: Page) => page.getByRole('heading', { name: 'Sign in' }).waitFor()

test('a wrong password shows an error; the right one opens the requested page', async () => {
  const userEmail = await openUser()
  const page = await portal.openPage()
  await page.goto('/datasets#status=ready')
  await untilSignedOut(page)
  await attempt(page, userEmail, 'a wrong password')
  await page.getByText('Wrong e-mail or password').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'login-wrong')
  await attempt(page, userEmail, PASSWORD)
  await untilSignedIn(page)
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/datasets#status=ready')
  await page.reload()
  await untilSignedIn(page)
})

test('a user of several subscriptions chooses one after the password', async () => {
  const userEmail = await openUser()
  const other = await portal.stack.openTenant()
  await addUser(portal.stack.db, other.subscriptionId, userEmail, 'analyst')
  const page = await portal.openPage()
  await page.goto('/login')
  await attempt(page, userEmail, PASSWORD)
  await page.getByRole('heading', { name: 'Choose a subscription' }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'login-subscriptions')
  await page.getByRole('button', { name: other.name }).click()
  await untilSignedIn(page)
  await page.getByText(other.name).first().waitFor()
})

test('a foreign URL in the login link never redirects away from the portal', async () => {
  const page = await portal.openPage()
  await page.goto('/login?next=//evil.example/')
  await attempt(page, await openUser(), PASSWORD)
  await untilSignedIn(page)
  expect(new URL(page.url()).origin).toBe(portal.url)
})

test('too many attempts show the remaining wait, and a suspended subscription is reported as suspended', async () => {
  const userEmail = await openUser()
  const page = await portal.openPage({ width: 'phone' })
  await page.goto('/login')
  for (let n = 0; n < 10; n++)
    await fetch(`${portal.url}/api/account/v1/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ userEmail, password: `guess ${n}` }),
    })
  await attempt(page, userEmail, PASSWORD)
  await page.getByText('Too many attempts').waitFor()
  await page.getByText(/Try again in \d+ min \d+ s\./).waitFor()
  expect(await page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true)
  await checkAccessibility(page)
  await checkFits(page)
  await takeScreenshot(page, 'login-throttled-phone')

  const { subscriptionId, userEmail: suspended } = await portal.stack.openTenant()
  await suspendSubscription(portal.stack.db, subscriptionId, true)
  await page.reload()
  await attempt(page, suspended, PASSWORD)
  await page.getByText('Your subscription is suspended').waitFor()
})

test('a browser that does not store the cookies shows an explanation', async () => {
  const page = await portal.openPage()
  await page.goto(`${portal.url.replace('localhost', hostname())}/login`)
  await attempt(page, await openUser(), PASSWORD)
  await page.getByText('Your browser did not store the cookies').waitFor()
  await checkAccessibility(page)
})

test('signing out ends the session in all tabs', async () => {
  const page = await portal.openAs(await openUser(), { ownSession: true })
  const other = await page.context().newPage()
  await other.goto('/datasets')
  await untilSignedIn(other)
  await page.getByLabel(/^Account of/).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await untilSignedOut(page)
  await untilSignedOut(other)
  await page.goto('/datasets')
  await untilSignedOut(page)
})

test('an ended session redirects to the login page, which shows the reason and returns to the same page', async () => {
  const userEmail = await openUser()
  const page = await portal.openAs(userEmail, { ownSession: true, at: '/account' })
  await page.getByText('This device').waitFor()
  await revokeSessions(userEmail)
  await untilRefused(page)
  await page.locator('[autocomplete="current-password"]').fill('anything at all')
  await page.locator('[autocomplete="new-password"]').fill('anything at all else')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your session has ended').waitFor()
  await attempt(page, userEmail, PASSWORD)
  await page.getByRole('heading', { name: 'Account' }).waitFor()
})

test('a partly filled form survives the end of a session, for the same user only', async () => {
  const tenant = await portal.stack.openTenant()
  const userEmail = await portal.addAdmin(tenant)
  const page = await portal.openAs(userEmail, { ownSession: true, at: '/keys' })
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByRole('dialog').getByLabel('Label').fill('Loan backend')
  await page.getByRole('dialog').getByLabel('Requester').first().check()
  await revokeSessions(userEmail)
  await untilRefused(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Your session has ended').waitFor()
  await attempt(page, userEmail, PASSWORD)
  const label = page.getByRole('dialog').getByLabel('Label')
  await label.waitFor()
  expect(await label.inputValue()).toBe('Loan backend')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Your new key').waitFor()
  expect(await page.evaluate("Object.keys(sessionStorage).filter((key) => key.includes('draft'))")).toEqual(
    [],
  )

  await page.goto('/scorecards/upload')
  await page.getByLabel('Or paste JSON').fill('{"name": ')
  await page.reload()
  expect(await page.getByLabel('Or paste JSON').inputValue()).toBe('{"name": ')
  await page.getByLabel(/^Account of/).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await untilSignedOut(page)
  expect(await page.evaluate("Object.keys(sessionStorage).filter((key) => key.includes('draft'))")).toEqual(
    [],
  )
})

/** Signs in with a fake clock, which all tabs of the browser share. The service keeps the real clock. */
async function openWithClock(userEmail: string): Promise<Page> {
  const page = await portal.openPage()
  await page.clock.install()
  // the fake clock runs far ahead of the network: requests would time out before their responses
  await page.context().addInitScript('AbortSignal.timeout = () => new AbortController().signal')
  await logInAs(page, userEmail)
  return page
}

test('a user is warned after 28 idle minutes, can stay signed in, and is signed out after 30', async () => {
  const page = await openWithClock(await openUser())
  await page.clock.runFor('27:30')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.clock.runFor('00:40')
  await page.getByRole('dialog', { name: 'Are you still there?' }).waitFor()
  await page.getByText(/1 min \d+ s/).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'idle-warning')
  await page.getByRole('dialog').getByRole('button', { name: 'Stay signed in' }).last().click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.clock.runFor('29:00')
  await page.getByRole('dialog').waitFor()
  await page.clock.runFor('01:10')
  await page.getByText('signed out due to inactivity').waitFor()
  expect(new URL(page.url()).searchParams.get('next')).toBe('/datasets')
  await page.goto('/datasets')
  await untilSignedOut(page)
})

test('a page whose storage is cleared does not end the session', async () => {
  const page = await openWithClock(await openUser())
  await page.evaluate('localStorage.clear()')
  await page.clock.runFor('00:05')
  await page.reload()
  await untilSignedIn(page)
})

test('sleep of the computer counts as idle time: after an hour the user is signed out', async () => {
  const page = await openWithClock(await openUser())
  await page.clock.fastForward('01:00:00')
  await page.getByText('signed out due to inactivity').waitFor()
})

test('two tabs share one session: each token is refreshed once, and both stay signed in', async () => {
  const userEmail = await openUser()
  const first = await openWithClock(userEmail)
  const second = await first.context().newPage()
  await second.goto('/datasets')
  await untilSignedIn(second)
  const refreshes: number[] = []
  first.context().on('response', (response) => {
    if (response.url().endsWith('/session/refresh')) refreshes.push(response.status())
  })
  for (let round = 1; round <= 3; round++) {
    await first.clock.runFor('09:10')
    await vi.waitFor(() => expect(refreshes.length).toBeGreaterThanOrEqual(round), { timeout: 10_000 })
    await first.mouse.move(round, round)
  }
  expect(refreshes.filter((status) => status !== 200)).toEqual([])
  for (const page of [first, second]) {
    await page.reload()
    await untilSignedIn(page)
  }
})

test('leaving a page during a token refresh does not end the session', async () => {
  const page = await openWithClock(await openUser())
  for (let round = 0; round < 5; round++) {
    const refreshStarted = page.waitForRequest('**/session/refresh')
    await page.clock.fastForward('09:10')
    await refreshStarted
    await page.reload()
    await untilSignedIn(page)
  }
})

test('a token that expired while the computer slept is refreshed before the next call', async () => {
  const page = await openWithClock(await openUser())
  await page.context().clearCookies({ name: '__Host-inkling-token' })
  await page.clock.fastForward('11:00')
  await page.goto('/account')
  await page.getByText('This device').waitFor()
})

test('a user lists their sessions, ends one, and changes the password', async () => {
  const userEmail = await openUser()
  const other = await portal.openAs(userEmail, { ownSession: true })
  const page = await portal.openAs(userEmail, { ownSession: true, at: '/account' })
  await page.getByText('This device').waitFor()
  expect(await page.getByText(/^Chrome on Linux$/).count()).toBe(2)
  await checkAccessibility(page)
  await takeScreenshot(page, 'account')
  await checkLooks(page, 'account')

  await page.getByRole('button', { name: 'Sign out Chrome on Linux' }).click()
  await eventually(async () => expect(await page.getByText(/^Chrome on Linux$/).count()).toBe(1))
  await untilRefused(other)
  await other.goto('/datasets')
  await untilSignedOut(other)

  await page.locator('[autocomplete="current-password"]').fill('a wrong password')
  await page.locator('[autocomplete="new-password"]').fill('short')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('must have at least 12 characters').waitFor()
  await page.locator('[autocomplete="new-password"]').fill('another good password')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('is not your password').waitFor()
  await checkAccessibility(page)
  await page.locator('[autocomplete="current-password"]').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed').waitFor()

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await untilSignedOut(page)
  await attempt(page, userEmail, 'another good password')
  await page.getByRole('button', { name: `Account of ${userEmail}` }).waitFor()
})
