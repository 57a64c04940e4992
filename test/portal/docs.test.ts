import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TAGS } from '../../api/http/endpoint.ts'
import { readByCode } from '../support/client.ts'
import { openBrowser } from '../support/portal/open-browser.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let browser: Browser

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  browser = await openBrowser()
})
afterAll(() => service.stop())

/** Enters a credential for a security scheme of the page. */
async function authorise(page: Page, scheme: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  const dialog = page.locator('.dialog-ux')
  const form = dialog.locator('.auth-container').filter({ hasText: `${scheme} (http, Bearer)` })
  await form.locator('input').fill(value)
  await form.getByRole('button', { name: 'Apply credentials' }).click()
  await dialog.locator('.btn-done').first().click()
}

/** Opens an operation and sends it unchanged. @returns the status that the page shows. */
async function execute(page: Page, operationId: string): Promise<string> {
  const operation = page.locator(`[id$="-${operationId}"]`)
  await operation.locator('.opblock-summary').click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  return operation.locator('.live-responses-table .response .response-col_status').innerText()
}

test('the prefilled upload can be sent from the page and is processed', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) pageErrors.push(message.text())
  })
  await page.goto(`${service.url}/docs`)
  await page.locator('.opblock-tag').first().waitFor()
  const tags = await page
    .locator('.opblock-tag')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-tag')))
  expect(tags).toEqual(Object.keys(TAGS))

  await authorise(page, 'key', tenant.uploaderKey)
  expect(await execute(page, 'uploadDataset')).toMatch(/^200/)
  const read = await readByCode(service.url, tenant.requesterKey, 'LN-2026-000123')
  expect(read.status).toBe(200)
  expect(pageErrors).toEqual([])
  await page.close()
})
