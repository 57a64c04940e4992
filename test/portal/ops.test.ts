import { expect, test, vi } from 'vitest'
import { openPortal, PORTAL_MS, takeScreenshot } from './open-portal.ts'

vi.setConfig({ testTimeout: 2 * PORTAL_MS })

const PASSWORD = 'a long passphrase of operators'

test('an operator looks at the queue in a browser, under the policy of the page', async () => {
  await using portal = await openPortal({ OPS_PASSWORD: PASSWORD })
  const context = await portal.browser.newContext({
    baseURL: portal.url,
    httpCredentials: { username: 'operator', password: PASSWORD },
  })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto('/ops/queue/datasets')
  await page.getByText('A job holds references only').first().waitFor()
  await takeScreenshot(page, 'ops')
  expect(faults).toEqual([])
  await context.close()
})
