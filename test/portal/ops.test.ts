import { expect, test } from 'vitest'
import { checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withOwnPortal } from '../support/portal/with-portal.ts'

const PASSWORD = 'a long passphrase of operators'

const portal = withOwnPortal({ OPS_PASSWORD: PASSWORD })

test('the queue page works in a browser under its content security policy', async () => {
  const context = await portal.browser.newContext({
    baseURL: portal.url,
    httpCredentials: { username: 'operator', password: PASSWORD },
  })
  const page = await context.newPage()
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(String(error)))
  await page.goto('/ops')
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
