import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveStability } from '../../db/monitoring/score-stability.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { readByCode, upload } from '../support/client.ts'
import { checkAccessibility, checkFits, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { aScorecardDefinition } from '../support/scorecards.ts'
import type { Tenant } from '../support/service.ts'

const portal = withPortal()
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scorecards-'))
})
afterAll(() => rm(directory, { recursive: true }))

/** Opens a tenant with an admin and this number of processed captures. */
async function openTenant(captures: number): Promise<Tenant & { adminEmail: string }> {
  const tenant = await portal.stack.openTenant()
  for (let at = 0; at < captures; at++) await scoreOf(tenant, at * 13)
  await portal.stack.untilProcessed(20_000)
  return { ...tenant, adminEmail: await portal.addAdmin(tenant) }
}

/** Uploads a capture with this number of contacts. @returns its score under the code app_score. */
async function scoreOf(tenant: Tenant, contacts: number): Promise<number | null | undefined> {
  const body = anUpload(aCapture({ contacts: { count: contacts } }))
  expect((await upload(portal.url, tenant.uploaderKey, body)).status).toBe(200)
  const { insights } = (await readByCode(portal.url, tenant.requesterKey, body.referenceNumber)).body
  return insights.find(({ code }: { code: string }) => code === 'app_score')?.value.value
}

/** A definition with three bins, which spread its distribution, and with reasons and verification rows. */
function aDefinition(members: { name: string; basePoints: number; rows?: object[] }): object {
  const attributes = [
    { below: 40, points: -40 },
    { from: 40, below: 100, points: 5 },
    { from: 100, points: 25 },
    { missing: true, points: 0 },
  ]
  return aScorecardDefinition({
    name: members.name,
    model: {
      kind: 'points',
      basePoints: members.basePoints,
      characteristics: [
        { name: 'contacts', input: 'contacts', reasonCode: 'CONTACTS', baseline: 20, attributes },
      ],
    },
    reasons: { texts: { CONTACTS: { en: 'Few contacts on the device' } } },
    exclusions: [
      {
        when: { predicate: { input: 'contacts', op: '>', value: 150 } },
        reason: 'More contacts than people have',
      },
    ],
    verification: members.rows ?? [{ inputs: { contacts: 5 }, score: members.basePoints - 40 }],
  })
}

async function writeDefinition(name: string, definition: object): Promise<string> {
  const file = join(directory, `${name}.json`)
  await writeFile(file, JSON.stringify(definition, null, 2))
  return file
}

async function uploadDefinition(page: Page, file: string): Promise<void> {
  await page.goto('/scorecards/upload?code=app_score')
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Validate and backtest' }).click()
}

const stageOf = (page: Page, stage: string) => page.locator('.mantine-Badge-label', { hasText: stage })

async function confirm(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: action, exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('a scorecard is uploaded, backtested and promoted to champion, scores the next upload, and is rolled back', async () => {
  const tenant = await openTenant(14)
  const page = await portal.openAs(tenant.adminEmail)
  await page.getByRole('link', { name: 'Scorecards' }).click()
  await page.getByRole('heading', { name: 'demo_mobile' }).waitFor()
  await page.getByRole('link', { name: 'Upload scorecard' }).click()

  const first = await writeDefinition('first', aDefinition({ name: 'Application 2026', basePoints: 600 }))
  await uploadDefinition(page, first)
  await page.getByRole('heading', { name: 'Application 2026' }).waitFor()
  await page.getByText('The verification row matches').waitFor()
  await page.getByText('No champion to compare with').waitFor()
  expect(await scoreOf(tenant, 5)).toBeUndefined()
  await confirm(page, 'Promote')
  await stageOf(page, 'Champion').waitFor()
  expect(await scoreOf(tenant, 5)).toBe(560)

  const second = await writeDefinition('second', aDefinition({ name: 'Application 2027', basePoints: 630 }))
  await uploadDefinition(page, second)
  await page.getByRole('heading', { name: 'Backtest results' }).waitFor()
  await page.getByText(/^PSI \d+\.\d{3}$/).waitFor()
  await page.getByText('shifted', { exact: true }).waitFor()
  await page.getByRole('heading', { name: /^Without a score: \d/ }).waitFor()
  await page.getByText('More contacts than people have').waitFor()
  await page.getByText('Few contacts on the device').waitFor()
  await page.locator('.recharts-bar-rectangle').first().waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'scorecard-trial')

  await confirm(page, 'Set as challenger')
  await stageOf(page, 'Challenger').waitFor()
  await page.getByText('is now the challenger of app_score').waitFor()
  await checkAccessibility(page)
  expect(await scoreOf(tenant, 5)).toBe(560)
  await page.getByRole('button', { name: 'Promote' }).click()
  await page
    .getByRole('dialog')
    .getByText(/^Scores are shifted: PSI \d+\.\d{3}$/)
    .waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'scorecard-promote-shifted')
  await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click()
  await page.getByText('is now the champion of app_score').last().waitFor()
  await stageOf(page, 'Champion').waitFor()
  expect(await scoreOf(tenant, 5)).toBe(590)

  await page.getByRole('button', { name: 'Roll back' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/“Application 2026” \(\w{12}\) becomes champion again/).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'scorecard-roll-back')
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await stageOf(page, 'Retired').waitFor()
  await page.getByText(/^Rolled back: “Application 2026”/).waitFor()
  expect(await scoreOf(tenant, 5)).toBe(560)

  await page.goto('/scorecards')
  const card = page.getByRole('region', { name: 'app_score' })
  await card.getByRole('link', { name: 'Application 2026' }).waitFor()
  await card.getByRole('button', { name: 'Show 1 other version' }).click()
  await card.getByRole('link', { name: 'Application 2027' }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'scorecards')
})

test('an invalid definition shows each error with its line, and so does invalid JSON', async () => {
  const page = await portal.openAs(portal.adminEmail)
  const { model, ...card } = aDefinition({ name: 'Wrong', basePoints: 600 }) as {
    model: { characteristics: { attributes: object[] }[] }
  }
  const [characteristic] = model.characteristics
  const wrong = {
    ...card,
    inputs: [{ name: 'contacts', feature: 'contact_count', type: 'number' }],
    model: { ...model, characteristics: [{ ...characteristic, attributes: [{ below: 40, points: 1 }] }] },
  }
  const file = await writeDefinition('wrong', wrong)
  const lines = JSON.stringify(wrong, null, 2).split('\n')
  const lineOf = (text: string) => lines.findIndex((line) => line.includes(text)) + 1
  await uploadDefinition(page, file)
  const alert = page.getByRole('alert')
  await alert.getByText(/^\d errors$/).waitFor()
  await alert.getByText('there is no feature "contact_count"').waitFor()
  await alert.getByText('inputs.0.feature').waitFor()
  await alert.getByRole('button', { name: `line ${lineOf('"contact_count"')}` }).waitFor()
  await alert.getByText('contacts: missing has no bin').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'scorecard-invalid')
  await alert
    .getByRole('button', { name: `line ${lineOf('"attributes"')}` })
    .first()
    .click()
  expect(await page.evaluate('document.activeElement.selectionStart')).toBeGreaterThan(100)

  await page.getByLabel('Or paste JSON').fill('{\n  "name": oops\n}')
  await page.getByRole('button', { name: 'Validate and backtest' }).click()
  await page.getByText(/^Invalid JSON: /).waitFor()
  await page.getByRole('button', { name: 'line 2' }).waitFor()
  await page.getByLabel('Code').fill('with space')
  await page.getByRole('button', { name: 'Validate and backtest' }).click()
  await page.getByText('must be 1 to 100 letters, digits').waitFor()
})

test('a definition with failed verification rows lists each mismatch and cannot be promoted', async () => {
  const tenant = await openTenant(1)
  const page = await portal.openAs(tenant.adminEmail, { width: 'phone' })
  const rows = [
    { inputs: { contacts: 5 }, score: 560 },
    { inputs: { contacts: 50 }, score: 999 },
  ]
  await uploadDefinition(
    page,
    await writeDefinition('otherwise', aDefinition({ name: 'Otherwise', basePoints: 600, rows })),
  )
  await page.getByText('1 of 2 verification rows do not match').waitFor()
  await page.getByText('score 605, expected 999').waitFor()
  await page.getByText('Not all verification rows match').waitFor()
  expect(await page.getByRole('button', { name: 'Promote' }).isDisabled()).toBe(true)
  await checkAccessibility(page)
  await checkFits(page)
  await takeScreenshot(page, 'scorecard-mismatch-phone')
})

test('a trial that ends between the two requests of its page is shown as done in both parts', async () => {
  const tenant = await openTenant(1)
  const page = await portal.openAs(tenant.adminEmail)
  await uploadDefinition(
    page,
    await writeDefinition('ended', aDefinition({ name: 'Ended', basePoints: 600 })),
  )
  const promote = page.getByRole('button', { name: 'Promote' })
  await expect.poll(() => promote.isEnabled(), { timeout: 20_000 }).toBe(true)
  await page.route(
    '**/api/scorecards/v1?*',
    async (route) => {
      const answer = await route.fetch()
      const body = (await answer.text()).replaceAll('"state":"done"', '"state":"running"')
      await route.fulfill({ response: answer, body })
    },
    { times: 1 },
  )
  await page.reload()
  await page.getByText('The verification row matches').waitFor()
  await expect.poll(() => promote.isEnabled(), { timeout: 10_000 }).toBe(true)
})

test('a definition is shown as a table and as JSON, and has its own URL', async () => {
  const page = await portal.openAs(portal.adminEmail, { dark: true, at: '/scorecards' })
  await page.getByRole('link', { name: 'Demonstration, mobile' }).click()
  await page.getByText('No backtest yet').waitFor()
  await page.getByRole('tab', { name: 'Definition' }).click()
  await page.getByRole('cell', { name: '[1.5, 3.5)' }).first().waitFor()
  expect(new URL(page.url()).search).toBe('?view=definition')
  await page.getByText('Google Play, loans: forbidden').first().waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'scorecard-definition-dark')
  await page.getByRole('tab', { name: 'Stability' }).click()
  await page.getByText('No measurements yet').waitFor()
  const { version } = await portal.stack
    .db('scorecard_stages')
    .where({ subscription_id: portal.stack.tenant.subscriptionId, code: 'demo_mobile' })
    .first('version')
  const characteristics = [{ name: 'contacts_count', csi: 0.31 }]
  await saveStability(portal.stack.db, new Date().toISOString().slice(0, 10), [
    {
      ...{ subscriptionId: portal.stack.tenant.subscriptionId, code: 'demo_mobile', version },
      ...{ psi: 0.123, mark: 'shifting', characteristics },
    },
  ])
  await page.reload()
  await page.getByRole('row', { name: /0\.123 shifting contacts_count 0\.310/ }).waitFor()
  await checkAccessibility(page)
  await page.getByRole('tab', { name: 'Definition' }).click()
  await page.getByRole('tab', { name: 'JSON' }).click()
  await page.getByText('"format": "scorecard/1"').waitFor()
  await checkAccessibility(page)
  await page.goBack()
  await page.getByRole('cell', { name: '[1.5, 3.5)' }).first().waitFor()
  await page.goto(`/scorecards/demo_mobile/${'0'.repeat(64)}`)
  await page.getByText('Version not found').waitFor()
})

test('fragments are deployed and removed; the page fits a phone, light and dark', async () => {
  const tenant = await openTenant(0)
  const page = await portal.openAs(tenant.adminEmail, { at: '/scorecards' })
  const section = page.getByRole('region', { name: 'Fragments' })
  await section.getByText('device_info', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'demo_mobile' }).waitFor()
  await checkLooks(page, 'scorecards')
  await section.getByLabel('Fragment code').fill('windows')
  await section.getByLabel('Kind').click()
  await page.getByRole('option', { name: /^Velocity by time window/ }).click()
  await section.getByRole('button', { name: 'Deploy' }).click()
  await section.getByText('windows', { exact: true }).waitFor()
  await section.getByRole('button', { name: 'Remove permission' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await section.getByText('permission', { exact: true }).waitFor({ state: 'detached' })
})
