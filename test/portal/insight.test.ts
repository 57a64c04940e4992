import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Capture } from '../../db/capture.ts'
import type { Scorecard } from '../../db/scorecard/definition.ts'
import { promoteScorecard } from '../../db/scorecard-stages.ts'
import { saveDefinition } from '../../db/scorecards.ts'
import { encodeCapture } from '../../scripts/captures/encode-capture.ts'
import { generateCaptures } from '../../scripts/captures/generate-captures.ts'
import { aCapture, anUpload } from '../captures.ts'
import { call, logIn, upload } from '../client.ts'
import { aScorecard } from '../scorecards.ts'
import type { StartedProcess } from '../start-process.ts'
import {
  checkAccessibility,
  checkFits,
  type Look,
  openPortal,
  PORTAL_MS,
  type Portal,
  takeScreenshot,
} from './open-portal.ts'

vi.setConfig({ testTimeout: PORTAL_MS, hookTimeout: 2 * PORTAL_MS })

/** Enough for a distribution. */
const UPLOADS = 160

let portal: Portal
let token: string
let worker: StartedProcess
/** A reference number of each platform, the newest. */
const newest: Partial<Record<string, string>> = {}

beforeAll(async () => {
  portal = await openPortal({ INSIGHT_WAIT_MS: '2000' })
  const { house } = portal
  for (const one of generateCaptures({ seed: 'insight', count: UPLOADS, size: 'small', at: new Date() })) {
    await send(one.referenceNumber, one.capture, one.additionalInfo)
    newest[one.capture.platform] = one.referenceNumber
  }
  await house.untilProcessed(30_000)
  await portal.worker.end('SIGTERM') // what it counted of scores is written down
  worker = await house.startWorker()
  token = await logIn(portal.url, house.tenant)
})
afterAll(() => portal[Symbol.asyncDispose]())

async function send(referenceNumber: string, capture: unknown, additionalInfo?: object): Promise<void> {
  const data = await encodeCapture(capture as Capture)
  const body = { referenceNumber, data, ...(additionalInfo && { additionalInfo }) }
  expect((await upload(portal.url, portal.house.tenant.uploaderKey, body)).status).toBe(200)
}

const explain = async (referenceNumber: string) =>
  (await call(portal.url, 'GET', `/api/insights/v1/${referenceNumber}/explanation?insight=true`, { token }))
    .body

/** Pages of users at the desktop, which log in once. */
const desktops = new Map<string, Promise<Page>>()

async function openDataset(referenceNumber: string, look?: Look, userEmail = portal.house.tenant.userEmail) {
  const desktop = desktops.get(userEmail) ?? portal.openAs(userEmail)
  desktops.set(userEmail, desktop)
  const page = await (look ? portal.openAs(userEmail, look) : desktop)
  await page.goto(`/datasets/${encodeURIComponent(referenceNumber)}`)
  return page
}

const countReads = async (referenceNumber: string): Promise<number> => {
  const [row] = await portal.house.db('insight_requests').where({ reference_number: referenceNumber }).count()
  return Number(row?.count)
}

const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

/** Of the numbers that a page shows after each of these words. */
const numberIn = (text: string) => Number(text.replace('−', '-').replaceAll(',', ''))

test('an analyst sees a score, its probability, its place, its reasons and its points as the API has them', async () => {
  const reference = newest.android ?? ''
  const page = await openDataset(reference)
  const card = section(page, 'Demonstration, mobile')
  await card.getByText('Better than').waitFor()
  expect(await countReads(reference)).toBe(1) // score and explanation together

  const { scores, insight } = await explain(reference)
  const [score] = scores
  const shown = (await card.textContent()) ?? ''
  expect(shown).toContain(`Score${score.value}`)
  expect(shown).toContain(`Probability of default${(score.probability * 100).toFixed(2)}%`)
  expect(shown).toContain(score.scorecard.bad)
  expect(shown).toContain(score.scorecard.version.slice(0, 10))
  const texts = score.reasons.map(({ text }: { text: string }) => text)
  expect(await card.getByRole('listitem').locator('p:first-child').allTextContents()).toEqual(texts)

  const distribution = await call(portal.url, 'GET', '/api/scores/v1/distribution?code=demo_mobile', {
    token,
  })
  const { values, scored } = distribution.body
  const worse = values.filter(({ value }: { value: number }) => value < score.value)
  const share = worse.reduce((sum: number, { datasets }: { datasets: number }) => sum + datasets, 0) / scored
  await card.getByText(`Better than ${Math.round(share * 100)}% of the last 30 days`).waitFor()
  await card.getByRole('img', { name: `This one is ${score.value}` }).waitFor()

  const points = await card
    .locator('[data-points]')
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-points'))))
  const ofApi = score.characteristics.map((one: { points: number }) => one.points)
  expect(points.toSorted()).toEqual(ofApi.filter((some: number) => some !== 0).toSorted())
  expect(points.reduce((sum, some) => sum + some, score.base)).toBe(score.value)
  const picture = await card.getByRole('img', { name: 'From a base of' }).getAttribute('aria-label')
  expect(picture).toMatch(new RegExp(`^From a base of ${score.base};.*; Score ${score.value}\\.$`))

  await card.getByText('Table', { exact: true }).click()
  const rows = await card
    .getByRole('row')
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('th,td')].map((cell) => cell.textContent ?? '')),
    )
  expect(rows).toHaveLength(score.characteristics.length + 3)
  expect(rows.slice(2, -1).map(([, , bin = '', some = '']) => [bin, numberIn(some)])).toEqual(
    score.characteristics.map((one: { bin: string; points: number }) => [one.bin, one.points]),
  )
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-table')
  await card.getByText('Picture', { exact: true }).click()
  await takeScreenshot(page, 'insight-android')

  const states = insight.fragments.find(({ code }: { code: string }) => code === 'permission').value
  const marks = await page
    .locator('[data-permission]')
    .evaluateAll((items) =>
      items.map((item) => [item.getAttribute('data-permission'), item.getAttribute('data-state')]),
    )
  expect(new Map(marks as [string, string][])).toEqual(
    new Map(
      states.map((one: { permission: string; state: string | null }) => [one.permission, String(one.state)]),
    ),
  )
  const legend = page.getByRole('list', { name: 'What the marks mean' })
  for (const [state, word] of Object.entries({
    1: 'Granted',
    0: 'Not granted',
    '-1': 'Not declared',
    null: 'Not there',
  })) {
    const count = states.filter((one: { state: string | null }) => String(one.state) === state).length
    await legend.getByText(`${word} ${count}`, { exact: true }).waitFor()
  }

  const { velocity } = (await call(portal.url, 'GET', `/api/datasets/v1/${reference}`, { token })).body
  const counts = await section(page, 'Velocity').getByRole('row').allTextContents()
  expect(counts.slice(1)).toEqual(
    [
      ['10m', '10 minutes'],
      ['1h', '1 hour'],
      ['24h', '24 hours'],
      ['7d', '7 days'],
      ['30d', '30 days'],
    ].map(
      ([window = '', name]) =>
        `${name}${velocity.device.windows[window]}${velocity.client?.windows[window] ?? ''}`,
    ),
  )

  await section(page, 'Raw JSON').getByRole('button', { name: 'Show' }).click()
  const json = JSON.parse((await section(page, 'JSON of the insight').textContent()) ?? '')
  expect(json).toEqual({ ...insight, requestedDate: json.requestedDate })
  await checkAccessibility(page)
})

test('a page that stays open reads once, also when the window gets the focus again', async () => {
  const reference = newest.ios ?? ''
  const before = await countReads(reference)
  const page = await openDataset(reference)
  await section(page, 'Permissions').waitFor()
  await page.evaluate(
    "window.dispatchEvent(new Event('focus')); document.dispatchEvent(new Event('visibilitychange'))",
  )
  await page.waitForTimeout(1_500)
  await section(page, 'What happened').getByText('Insight read').waitFor()
  expect(await countReads(reference)).toBe(before + 1)
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-ios')
})

test('a web capture has its score, and no permissions', async () => {
  const page = await openDataset(newest.web ?? '')
  await section(page, 'Demonstration, web').getByText('Points by characteristic').waitFor()
  await section(page, 'Device').getByText('A browser tells neither').waitFor()
  expect(await section(page, 'Permissions').count()).toBe(0)
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-web')
})

test('on a phone nothing is wider than the screen, and in the dark all can be read', async () => {
  const page = await openDataset(newest.android ?? '', { width: 'phone', dark: true })
  await page.getByText('Better than').waitFor()
  await section(page, 'What happened').getByText('Insight read').waitFor()
  await checkFits(page)
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-phone-dark')
  await page.getByText('Table', { exact: true }).click()
  await checkFits(page)
  const wide = await openDataset(newest.android ?? '', { dark: true })
  await wide.getByText('Better than').waitFor()
  await section(wide, 'What happened').getByText('Insight read').waitFor()
  await checkAccessibility(wide)
  await takeScreenshot(wide, 'insight-dark')
})

test('data that cannot be read says why and what to do, and an admin has it processed again', async () => {
  const referenceNumber = 'LN-invalid'
  const body = { referenceNumber, data: Buffer.from('not a capture').toString('base64') }
  expect((await upload(portal.url, portal.house.tenant.uploaderKey, body)).status).toBe(200)
  await portal.house.untilProcessed(10_000)
  const page = await openDataset(referenceNumber, undefined, portal.adminEmail)
  const alert = page.getByRole('alert')
  await alert.getByText('The data is no compressed capture at all').waitFor()
  await alert.getByText('What to do').waitFor()
  await alert.getByText('not_gzip').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-invalid')
  expect(await countReads(referenceNumber)).toBe(0)

  await page.getByRole('button', { name: 'Process again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Process again' }).click()
  await section(page, 'What happened').getByText('Asked to be processed again').waitFor()
  await alert.getByText('not_gzip').waitFor()
})

test('a dataset that waits shows up by itself, with two reads however often the page looks', async () => {
  const { house } = portal
  await worker.end('SIGTERM')
  const body = anUpload(aCapture(), { additionalInfo: { clientId: 'C-1' } })
  expect((await upload(portal.url, house.tenant.uploaderKey, body)).status).toBe(200)
  const page = await openDataset(body.referenceNumber)
  await page.getByRole('status').getByText('Waiting to be processed').waitFor()
  await page.waitForTimeout(3_500) // longer than the service waits
  expect(await countReads(body.referenceNumber)).toBe(1)
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-waiting')

  worker = await house.startWorker()
  await page.getByText('Points by characteristic').waitFor()
  await page.getByText('Ready', { exact: true }).waitFor()
  expect(await page.getByText('Waiting to be processed').count()).toBe(0)
  expect(await countReads(body.referenceNumber)).toBe(2)

  // what is saved later is worked in while the page is open
  const info = { referenceNumber: body.referenceNumber, additionalInfo: { phoneHash: 'aa01' } }
  await call(portal.url, 'POST', '/api/datasets/v1/additionalinfo', {
    token: house.tenant.uploaderKey,
    body: info,
  })
  await house.untilProcessed(10_000)
  await page.reload()
  await section(page, 'Additional Info').getByText('aa01').waitFor()
})

test('other datasets of the device and of the client are a picture and links', async () => {
  const device = {
    id: 'device of several',
    brand: 'samsung',
    model: 'SM-A546E',
    osVersion: '14',
    apiLevel: 34,
  }
  const references = ['LN-first', 'LN-second', 'LN-third', 'LN-elsewhere']
  for (const [at, referenceNumber] of references.entries()) {
    const capture = at < 3 ? aCapture({ device }) : aCapture({ device: { ...device, id: 'another' } })
    await send(referenceNumber, capture, { clientId: at === 0 ? 'client of one' : 'client of several' })
    await portal.house.untilProcessed(10_000)
  }
  const page = await openDataset('LN-third')
  const others = section(page, 'Other datasets of this device and client')
  await others.getByRole('img', { name: 'Device: 3 datasets. Client: 3 datasets.' }).waitFor()
  const rows = await others.getByRole('listitem').allTextContents()
  expect(
    rows.map((row) => [row.match(/^LN-[a-z]+?(?=\d)/)?.[0], row.match(/same (device|client)/g)]),
  ).toEqual([
    ['LN-elsewhere', ['same client']],
    ['LN-second', ['same device', 'same client']],
    ['LN-first', ['same device']],
  ])
  const all = others.getByRole('link', { name: 'All of this device' })
  expect(await all.getAttribute('href')).toBe('/datasets?deviceId=device+of+several')
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-neighbours')
  await others.getByRole('link', { name: 'LN-first' }).click()
  await page.getByRole('heading', { name: 'LN-first' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'LN-third' }).waitFor()
})

test('who deletes a dataset confirms it; who comes later is told by whom and when', async () => {
  const body = anUpload()
  expect((await upload(portal.url, portal.house.tenant.uploaderKey, body)).status).toBe(200)
  const page = await openDataset(body.referenceNumber, undefined, portal.adminEmail)
  await page.getByText('Points by characteristic').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  expect(
    await portal.house.db('datasets').where({ reference_number: body.referenceNumber }).pluck('status'),
  ).toEqual(['ready'])
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('Delete this dataset?').waitFor()
  await checkAccessibility(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('This dataset was deleted').waitFor()

  const later = await openDataset(body.referenceNumber)
  await later.getByText(`${portal.adminEmail} deleted it on`).waitFor()
  expect(await later.getByRole('button', { name: 'Process again' }).count()).toBe(0)
  await checkAccessibility(later)
  await takeScreenshot(later, 'insight-deleted')
})

test('a reference number that the subscription does not have leads to the search, also if another one has it', async () => {
  const other = await portal.house.openTenant()
  for (const [reference, user] of [
    ['LN-2O26-none', portal.house.tenant.userEmail],
    [newest.android ?? '', other.userEmail],
    ['50% & a/b #1', other.userEmail],
  ] as const) {
    const page = await openDataset(reference, undefined, user)
    await page.getByText('Your subscription has no dataset of this reference number').waitFor()
    await page.getByRole('main').getByText(reference, { exact: true }).waitFor()
    await page.getByRole('link', { name: /Search for/ }).click()
    await page.waitForURL(/\/datasets\?referenceNumber=/)
    await page.goBack()
    await checkAccessibility(page)
    await takeScreenshot(page, 'insight-unknown')
  }
})

test('a score that there is none of says why, and one from log-odds how it came about', async () => {
  const { house } = portal
  const tenant = await house.openTenant()
  const { subscriptionId } = tenant
  const promote = (code: string, definition: Scorecard) =>
    house.db.transaction(async (trx) => {
      const version = await saveDefinition(trx, subscriptionId, definition)
      await promoteScorecard(trx, { subscriptionId, code, version })
    })
  const reason = 'A thin capture: the contacts are not known'
  await promote(
    'strict',
    aScorecard({ name: 'Strict', exclusions: [{ when: { fewerInputsThan: 1 }, reason }] }),
  )
  await promote(
    'odds',
    aScorecard({
      name: 'Odds',
      output: { from: 'scaling' },
      reasons: { points: 'aboveBaseline' },
      model: {
        ...{ kind: 'trees', tool: 'lightgbm', objective: 'logistic', inputs: [{ name: 'contacts' }] },
        // one tree: up to 100 contacts, or none known, go left
        ...{ roots: [0], feature: [0, 0, 0], value: [100, 1.2, -0.4], left: [1, 0, 0], right: [2, 0, 0] },
        ...{ flags: [1, 0, 0], mean: [-2.1, 1.2, -0.4] },
      },
    }),
  )
  const referenceNumber = 'LN / 100% #1'
  const body = anUpload(aCapture(), { referenceNumber })
  expect((await upload(portal.url, tenant.uploaderKey, body)).status).toBe(200)
  const page = await openDataset(referenceNumber, undefined, tenant.userEmail)
  await section(page, 'Strict').getByText(reason).waitFor()
  await section(page, 'Demonstration, mobile').getByText('Points by characteristic').waitFor()
  const odds = section(page, 'Odds')
  await odds.getByText(/counting takes a minute|too few to compare/).waitFor()
  await odds.getByRole('img', { name: 'From a base of −2.1; Contacts +3.3; Log-odds of bad 1.2.' }).waitFor()
  await odds.getByText('its scaling line turns 1.2 into the score').waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-scores')
})
