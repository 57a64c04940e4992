import { expect, test } from 'vitest'
import { hashPassword } from '../../api/account/password-hashing.ts'
import { createOperator } from '../../db/accounts/operators.ts'
import { checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withOwnPortal } from '../support/portal/with-portal.ts'

const PASSWORD = 'a long passphrase of operators'

const portal = withOwnPortal({ OPS_PASSWORD: PASSWORD })

/** Opens pages as an operator. @returns also the errors that they throw. */
async function signIn(username: string) {
  const context = await portal.browser.newContext({
    baseURL: portal.url,
    httpCredentials: { username, password: PASSWORD },
  })
  const page = await context.newPage()
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(String(error)))
  return { context, page, pageErrors }
}

test('the queue page works in a browser under its content security policy', async () => {
  const { context, page, pageErrors } = await signIn('operator')
  await page.goto('/ops/queue')
  await page.getByText('Jobs hold references only').waitFor()
  expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
    'Active',
    'Waiting',
    'Failed',
  ])
  await takeScreenshot(page, 'ops')
  await checkLooks(page, 'ops')
  expect(pageErrors).toEqual([])
  await context.close()
})

test('an operator finds a subscription in the overview, is asked, and suspends it', async () => {
  const { db, tenant } = portal.stack
  await createOperator(db, { name: 'ann', passwordHash: await hashPassword(PASSWORD), createdBy: 'a test' })
  const { context, page, pageErrors } = await signIn('ann')
  await page.goto('/ops')
  await page.getByRole('region', { name: 'Processes' }).getByText('worker').first().waitFor()
  await takeScreenshot(page, 'ops-overview')
  await checkLooks(page, 'ops-overview')
  await page.getByRole('link', { name: tenant.name }).first().click()
  await page.getByRole('heading', { name: tenant.name }).waitFor()
  await takeScreenshot(page, 'ops-subscription')
  await checkLooks(page, 'ops-subscription')
  await page.getByRole('link', { name: 'Suspend' }).click()
  await page.getByText('are rejected within 5 s').waitFor()
  await takeScreenshot(page, 'ops-question')
  await checkLooks(page, 'ops-question')
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('status').getByText('Suspended: its credentials are rejected').waitFor()
  expect(await db('subscriptions').where({ id: tenant.subscriptionId }).first()).toMatchObject({
    suspended_at: expect.any(Date),
  })
  expect(pageErrors).toEqual([])
  await context.close()
})
