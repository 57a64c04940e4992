import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { checkAccessibility, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'

const portal = withPortal()

async function openStart(userEmail: string): Promise<Page> {
  const page = await portal.openAs(userEmail, { at: '/start' })
  await page.getByRole('region', { name: 'Command: Upload', exact: true }).waitFor()
  return page
}

const commandOf = (page: Page, title: string) =>
  page.getByRole('region', { name: `Command: ${title}`, exact: true }).innerText()

/** Runs the commands sequentially in one shell, as if pasted. @returns their output. */
async function run(...commands: string[]): Promise<string> {
  const script = commands.map((command) => command.replace(/^curl /, "curl -sSw '\\n' ")).join('\n')
  return (await promisify(execFile)('bash', ['-ec', script])).stdout
}

const waitForUpload = (page: Page) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('heading', { name: 'dataset has arrived' })

test('the commands, pasted into a shell, upload, save info and read the insight; the page updates automatically', async () => {
  const page = await openStart(portal.adminEmail)
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await uploads.getByRole('heading', { name: 'Waiting for your first upload' }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'start')

  await page.getByRole('button', { name: 'Create uploader key' }).click()
  await page.getByRole('button', { name: 'Create requester key' }).click()
  await page.getByRole('region', { name: 'Command: Requester key' }).waitFor()
  const keys = [await commandOf(page, 'Uploader key'), await commandOf(page, 'Requester key')]
  await checkAccessibility(page)

  const uploaded = await run(...keys, await commandOf(page, 'Upload'))
  const { referenceNumber } = JSON.parse(uploaded)
  expect(referenceNumber).toMatch(/^SAMPLE-\d{4}-\d\d-\d\d-\w{6}$/)
  await uploads.getByRole('heading', { name: 'Your first dataset has arrived' }).waitFor()
  await uploads.getByText(referenceNumber).waitFor()

  const info = await run(...keys, await commandOf(page, 'Additional Info'))
  expect(JSON.parse(info)).toEqual({ referenceNumber, additionalInfo: { clientId: 'C-1042' } })
  const { insights } = JSON.parse(await run(...keys, await commandOf(page, 'Insight')))
  const byCode = new Map(insights.map(({ code, value }: { code: string; value: unknown }) => [code, value]))
  expect(byCode.get('demo_mobile')).toMatchObject({
    value: expect.any(Number),
    probability: expect.any(Number),
  })
  expect(byCode.get('device_info')).toMatchObject({ brand: 'samsung' })

  await uploads.getByText('Ready').waitFor()
  await uploads.getByText('Score').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'start-arrived')
  await uploads.getByRole('link', { name: 'Open insight' }).click()
  await page.waitForURL(`**/datasets/${referenceNumber}`)
})

test('the copy button copies the whole command', async () => {
  const page = await openStart(portal.adminEmail)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy: Upload' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await commandOf(page, 'Upload'))
  await page.getByRole('button', { name: 'Copied' }).waitFor()
})

test('the sample capture matches the published schema, has the current time, and differs at each visit', async () => {
  const page = await openStart(portal.adminEmail)
  const command = await commandOf(page, 'Upload')
  const { data, referenceNumber } = JSON.parse(/-d '(.*)'$/s.exec(command)?.[1] ?? '')
  const json = await promisify(execFile)('bash', ['-c', `printf %s '${data}' | base64 -d | gunzip`])
  const capture = JSON.parse(json.stdout)
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const schema = (await (await fetch(`${portal.url}/schemas/capture-1.json`)).json()) as object
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  expect(validate(capture) || validate.errors).toBe(true)
  expect(Math.abs(Date.parse(capture.collectedAt) - Date.now())).toBeLessThan(60_000)
  await page.reload()
  await page.getByRole('region', { name: 'Command: Upload', exact: true }).waitFor()
  expect(await commandOf(page, 'Upload')).not.toContain(referenceNumber)
})

test('keys are not shown again after leaving the page, and appear in the list of API keys', async () => {
  const page = await openStart(portal.adminEmail)
  await page.getByRole('button', { name: 'Create uploader key' }).click()
  const key = /ink_.*/.exec(await commandOf(page, 'Uploader key'))?.[0] ?? 'none'
  await page.getByRole('main').getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('table', { name: 'API keys' }).waitFor()
  await page.getByText(key.slice(0, 10)).waitFor()
  expect(await page.content()).not.toContain(key)
  await page.goBack()
  await page.getByRole('button', { name: 'Create uploader key' }).waitFor()
  expect(await page.content()).not.toContain(key)
})

test('an analyst sees the commands, and that only admins can create keys', async () => {
  const page = await openStart(portal.stack.tenant.userEmail)
  await page.getByText('Only admins can create keys').waitFor()
  expect(await commandOf(page, 'Uploader key')).toBe('export INKLING_KEY=ink_…')
  expect(await page.getByRole('button', { name: /^Create/ }).count()).toBe(0)
  await checkAccessibility(page)
  await takeScreenshot(page, 'start-analyst')
})

test('the page fits a phone, light and dark, and waits for the next upload after earlier ones', async () => {
  const page = await openStart(portal.adminEmail)
  await page.getByRole('heading', { name: 'Waiting for the next upload' }).waitFor()
  await checkLooks(page, 'start')
})

test('an upload of another subscription is not shown', async () => {
  const other = await portal.stack.openTenant()
  const page = await openStart(await portal.addAdmin(other))
  await page.getByText('Waiting for your first upload').waitFor()
  const mine = await openStart(portal.adminEmail)
  await mine.getByRole('button', { name: 'Create uploader key' }).click()
  await run(await commandOf(mine, 'Uploader key'), await commandOf(mine, 'Upload'))
  await waitForUpload(mine).waitFor()
  await page.waitForResponse((response) => response.url().includes('/api/datasets/v1?')) // requested after the upload
  expect(await page.getByText('Waiting for your first upload').isVisible()).toBe(true)
})

test('the way of a page: create a site key, copy the snippet, and see the first capture arrive', async () => {
  const tenant = await portal.stack.openTenant()
  const page = await portal.openAs(await portal.addAdmin(tenant), { at: '/start' })
  await page.getByRole('link', { name: 'From a browser' }).click()
  const captures = page.getByRole('region', { name: 'Captures' })
  await captures.getByRole('heading', { name: 'Waiting for the first capture' }).waitFor()
  expect(await commandOf(page, 'Content Security Policy')).toBe(
    `Content-Security-Policy: script-src ${portal.url}; connect-src ${portal.url}`,
  )
  await page.getByRole('button', { name: 'Create site key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create site key' })
  await dialog.getByLabel('Label').fill('shop')
  await dialog.getByLabel('Origins').fill('https://shop.example')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const { key } = await portal.stack.db('site_keys').where({ subscription_id: tenant.subscriptionId }).first()
  const snippet = await commandOf(page, 'Start')
  expect(snippet).toContain(`<script src="${portal.url}/sdk/v1.js"></script>`)
  expect(snippet).toContain(`key: '${key}'`)
  expect(await commandOf(page, 'Claim')).toContain(`${portal.url}/api/collections/v1/claims`)
  await checkLooks(page, 'start-browser')

  // only a capture from a browser counts
  expect((await upload(portal.url, tenant.uploaderKey, anUpload())).status).toBe(200)
  const capture = anUpload(aCapture({ platform: 'web' }))
  expect((await upload(portal.url, tenant.uploaderKey, capture)).status).toBe(200)
  await captures.getByRole('heading', { name: 'The first capture has arrived' }).waitFor()
  await captures.getByRole('link', { name: 'Open insight' }).click()
  await page.waitForURL(`**/datasets/${capture.referenceNumber}`)
})
