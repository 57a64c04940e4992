import { Webhook as Verifier } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { checkAccessibility, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { openReceiver } from '../support/receiver.ts'

const portal = withPortal()

test('an admin creates a webhook, sees its secret once, tests it, and reads in its log what was answered', async () => {
  await using receiver = await openReceiver()
  const page = await portal.openAs(portal.adminEmail, { at: '/keys/webhooks' })
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Create webhook' })
  await dialog.getByLabel('Label').fill('loans')
  await dialog.getByLabel('URL').fill('ftp://backend.example')
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await dialog.getByText('must begin with https://').waitFor()
  await checkAccessibility(page)
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  const secret = await page.getByTestId('secret').innerText()
  await page.getByRole('button', { name: 'I have copied the secret' }).click()
  const row = page.getByRole('row').filter({ hasText: 'loans' })
  await row.getByText('Nothing delivered yet').waitFor()
  expect(await page.content()).not.toContain(secret)

  await row.getByRole('button', { name: 'Test loans' }).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  await expect.poll(() => receiver.received.map(({ type }) => type)).toEqual(['webhook.test'])
  const [message] = receiver.received
  new Verifier(secret).verify(message?.body ?? '', message?.headers as Record<string, string>)
  await row.getByRole('button', { name: 'Log of loans' }).click()
  const log = page
    .getByRole('table', { name: 'Deliveries' })
    .getByRole('row')
    .filter({ hasText: 'webhook.test' })
  await log.getByText('204').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'webhook-log')
})

test('an admin rotates, disables and deletes a webhook; while it is disabled nothing is delivered', async () => {
  await using receiver = await openReceiver()
  const page = await portal.openAs(portal.adminEmail, { at: '/keys/webhooks' })
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Create webhook' })
  await dialog.getByLabel('Label').fill('scores')
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  const earlier = await page.getByTestId('secret').innerText()
  await page.getByRole('button', { name: 'I have copied the secret' }).click()
  const row = page.getByRole('row').filter({ hasText: 'scores' })

  await row.getByRole('button', { name: 'Rotate the secret of scores' }).click()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  const secret = await page.getByTestId('secret').innerText()
  await page.getByRole('button', { name: 'I have copied the secret' }).click()
  await row.getByRole('button', { name: 'Disable scores' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click()
  await row.getByText('Disabled').first().waitFor()
  const body = anUpload()
  expect((await upload(portal.url, portal.stack.tenant.uploaderKey, body)).status).toBe(200)
  await portal.stack.untilProcessed(30_000)
  expect(receiver.received).toEqual([])

  await row.getByRole('button', { name: 'Enable scores' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Enable', exact: true }).click()
  await expect
    .poll(() => receiver.received.map(({ type, data }) => [type, data.referenceNumber]))
    .toEqual(['dataset.received', 'dataset.ready'].map((type) => [type, body.referenceNumber]))
  for (const { body: text, headers } of receiver.received)
    for (const one of [earlier, secret]) new Verifier(one).verify(text, headers as Record<string, string>)

  await row.getByRole('button', { name: 'Delete scores' }).click()
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await row.waitFor({ state: 'detached' })
})
