import type { Page } from 'playwright-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { anActor } from '../support/actors.ts'
import { addAuditEvents } from '../support/audit-events.ts'
import { eventually } from '../support/eventually.ts'
import { checkAccessibility, checkFits, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { withoutTriggers } from '../support/without-triggers.ts'

const portal = withPortal()

beforeAll(async () => {
  const { subscriptionId } = portal.stack.tenant
  const record = (event: Omit<Parameters<typeof recordAudit>[1], 'subscriptionId'>) =>
    recordAudit(portal.stack.db, { subscriptionId, ...event })
  // events are in the order of their times
  await withoutTriggers(portal.stack.owner, (trx) =>
    trx('audit_events').where({ subscription_id: subscriptionId }).delete(),
  )
  await portal.stack.db.raw(
    `insert into audit_events (subscription_id, at, actor, action, detail)
     values (?, '2026-01-31T23:30:00Z', 'retention', 'retention.datasets', '{"datasets": 12, "days": 90}')`,
    [subscriptionId],
  )
  await record({ actor: anActor('ann@lender.example'), action: 'dataset.delete', subject: 'LN-1' })
  await record({
    actor: anActor('ann@lender.example'),
    action: 'key.create',
    subject: '41',
    detail: { role: 'uploader', label: 'loan backend', expiresInDays: 90 },
  })
  await record({
    actor: anActor('bob@lender.example'),
    action: 'key.revoke',
    subject: '41',
    detail: { label: 'loan backend' },
  })
})

const openAudit = (search = '') => portal.openAs(portal.adminEmail, { at: `/audit${search}` })

const rows = (page: Page) => page.getByRole('table', { name: 'Audit log' }).locator('tbody').getByRole('row')

test('an action of an admin is listed with its actor and a readable description', async () => {
  const page = await portal.openAs(portal.adminEmail, { at: '/keys' })
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Label').fill('made just now')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByTestId('key').innerText()
  await page.getByRole('button', { name: 'I have copied the key' }).click()
  await page.goto('/audit')
  const row = rows(page).first()
  await row.getByText('Created an API key').waitFor()
  await row.getByText('made just now').waitFor()
  await row.getByText(portal.adminEmail).waitFor()
  expect(await page.content()).not.toContain(key.slice(4))
  await checkAccessibility(page)
  await takeScreenshot(page, 'audit')

  await row.getByRole('button', { name: 'Details: Created an API key' }).click()
  const details = page.getByRole('dialog', { name: 'Created an API key' })
  await details.getByRole('rowheader', { name: 'Role' }).waitFor()
  await details.getByText('uploader', { exact: true }).waitFor()
  await details.getByText('key.create', { exact: true }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'audit-details')
})

test('filters by actor and action select events, are part of the URL, and are undone by the back button', async () => {
  const page = await openAudit()
  await rows(page).getByText('LN-1').waitFor()
  await page.getByLabel('Actor', { exact: true }).fill('ANN@')
  await page.waitForURL('**/audit?actor=ANN%40')
  await eventually(async () => expect(await rows(page).count()).toBe(2))

  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'All actions on API keys' }).click()
  await page.waitForURL('**/audit?actor=ANN%40&action=key.')
  await eventually(async () => expect(await rows(page).count()).toBe(1))
  await rows(page).getByText('loan backend').waitFor()

  await page.goBack()
  await eventually(async () => expect(await rows(page).count()).toBe(2))
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await rows(page).getByText('bob@lender.example').waitFor()
  expect(new URL(page.url()).search).toBe('')

  await rows(page).getByRole('button', { name: 'Show actions of bob@lender.example' }).click()
  await eventually(async () => expect(await rows(page).count()).toBe(1))
  expect(await page.getByLabel('Actor', { exact: true }).inputValue()).toBe('bob@lender.example')
})

test('days are in the time zone of the viewer, and a link keeps the filters', async () => {
  // 23:30 UTC on 31 January is 00:30 on 1 February in Berlin
  const page = await openAudit('?since=2026-02-01&until=2026-02-01')
  await rows(page).getByText('Deleted datasets past their retention').waitFor()
  await rows(page).getByText('1 Feb 2026, 00:30:00').waitFor()
  expect(await page.getByLabel('From').inputValue()).toBe('2026-02-01')
  await rows(page).locator('time').hover()
  await page.getByRole('tooltip').getByText('2026-01-31 23:30:00 UTC').waitFor()

  await page.goto('/audit?since=2026-01-31&until=2026-01-31')
  await page.getByText('No matching events').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'audit-none')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await rows(page).getByText('LN-1').waitFor()
})

test('the page and the details of an event fit a phone, light and dark', async () => {
  const page = await openAudit()
  await rows(page).getByText('LN-1').waitFor()
  await checkLooks(page, 'audit')
  await rows(page)
    .first()
    .getByRole('button', { name: /^Details/ })
    .click()
  await page.getByRole('dialog').waitFor()
  await checkFits(page)
  await checkAccessibility(page)
})

test('older events load on demand, and a filter for rare events finds old ones automatically', async () => {
  const other = await portal.stack.openTenant()
  const { subscriptionId } = other
  await recordAudit(portal.stack.db, {
    subscriptionId,
    actor: anActor('ann'),
    action: 'user.create',
    subject: 'oldest',
  })
  await addAuditEvents(portal.stack.owner, {
    ...{ subscriptionId, events: 50_000, action: 'retention.data' },
    at: 'now() - make_interval(secs => 50000 - i)',
  })
  const page = await portal.openAs(await portal.addAdmin(other), { at: '/audit' })
  await rows(page).first().waitFor()
  expect(await rows(page).count()).toBe(50)
  await page.getByRole('button', { name: 'Load more' }).click()
  await vi.waitFor(async () => expect(await rows(page).count()).toBe(100), 10_000)

  await page.goto('/audit?action=user.create')
  await rows(page).getByText('oldest').waitFor()
  expect(await rows(page).count()).toBe(1)
})
