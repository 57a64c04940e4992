import { beforeAll, expect, test } from 'vitest'
import { ordinalText } from '../../api/portal/parts/formats.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { promoteScorecard } from '../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { generateCaptures } from '../../scripts/captures/generate-captures.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, logIn, upload } from '../support/client.ts'
import { checkAccessibility, checkFits, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { countReads, openDataset, section, sendCapture } from '../support/portal/dataset-page.ts'
import { withOwnPortal } from '../support/portal/with-portal.ts'
import { aScorecard } from '../support/scorecards.ts'

/** Enough uploads for a score distribution. */
const UPLOADS = 160

const portal = withOwnPortal()
let token: string
/** The newest reference number by platform. */
const newest: Partial<Record<string, string>> = {}

beforeAll(async () => {
  const { stack } = portal
  for (const one of generateCaptures({ seed: 'insight', count: UPLOADS, size: 'small', at: new Date() })) {
    await sendCapture(portal, one.referenceNumber, one.capture, one.additionalInfo)
    newest[one.capture.platform] = one.referenceNumber
  }
  await stack.untilProcessed(30_000)
  await portal.worker.end('SIGTERM') // saves its score counts
  await stack.startWorker()
  token = await logIn(portal.url, stack.tenant)
})

const explain = async (referenceNumber: string) =>
  (await call(portal.url, 'GET', `/api/insights/v1/${referenceNumber}/explanation?insight=true`, { token }))
    .body

/** Parses a number as the page formats it. */
const numberIn = (text: string) => Number(text.replace('−', '-').replaceAll(',', ''))

test('the page shows the score, probability, percentile, reasons and points that the API returns', async () => {
  const reference = newest.android ?? ''
  const page = await openDataset(portal, reference)
  const card = section(page, 'Demonstration, mobile')
  await card.getByText('percentile, last 30 days').waitFor()
  expect(await countReads(portal, reference)).toBe(1) // one read returns score and explanation

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
  const count = (side: (value: number) => boolean): number =>
    values
      .filter(({ value }: { value: number }) => side(value))
      .reduce((sum: number, { datasets }: { datasets: number }) => sum + datasets, 0)
  const rank = count((value) => value < score.value) + count((value) => value === score.value) / 2
  await card.getByText(`${ordinalText(Math.round((100 * rank) / scored))} percentile, last 30 days`).waitFor()
  await card.getByRole('img', { name: `This score: ${score.value}` }).waitFor()

  const points = await card
    .locator('[data-gap]')
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-gap'))))
  const ofApi = score.characteristics.map(
    (one: { points: number; baseline: number }) => one.points - one.baseline,
  )
  expect(points.toSorted()).toEqual(ofApi.filter((some: number) => some !== 0).toSorted())
  const start = score.characteristics.reduce(
    (sum: number, one: { baseline: number }) => sum + one.baseline,
    score.base,
  )
  expect(points.reduce((sum, some) => sum + some, start)).toBe(score.value)
  const chart = await card.getByRole('img', { name: 'Baseline' }).getAttribute('aria-label')
  expect(chart).toMatch(new RegExp(`^Baseline ${start};.*; Score ${score.value}\\.$`))

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
  const { body: registry } = await call(portal.url, 'GET', '/features')
  const restricted = new Map<string, number>(
    registry.features.map(({ name, stores }: { name: string; stores: object[] }) => [name, stores.length]),
  )
  const marked = score.characteristics.reduce(
    (sum: number, one: { characteristic: string }) => sum + (restricted.get(one.characteristic) ?? 0),
    0,
  )
  expect(marked).toBeGreaterThan(0)
  await expect.poll(() => card.getByText(/^(Google Play, loans|App Store): /).count()).toBe(marked)
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-table')
  await card.getByText('Chart', { exact: true }).click()
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
  const legend = page.getByRole('list', { name: 'Legend' })
  for (const [state, word] of Object.entries({
    1: 'Granted',
    0: 'Not granted',
    '-1': 'Not declared',
    null: 'Not available',
  })) {
    const count = states.filter((one: { state: string | null }) => String(one.state) === state).length
    await legend.getByText(`${word} ${count}`, { exact: true }).waitFor()
  }

  const { velocity } = (await call(portal.url, 'GET', `/api/datasets/v1/${reference}`, { token })).body
  const counts = await page
    .getByRole('table', { name: 'Datasets before this one' })
    .getByRole('row')
    .allTextContents()
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

test('an open page reads the insight once, even after the window regains focus', async () => {
  const reference = newest.ios ?? ''
  const before = await countReads(portal, reference)
  const page = await openDataset(portal, reference)
  await section(page, 'Permissions').waitFor()
  await page.evaluate(
    "window.dispatchEvent(new Event('focus')); document.dispatchEvent(new Event('visibilitychange'))",
  )
  await page.waitForTimeout(1_500)
  await section(page, 'Activity').getByText('Insight read').waitFor()
  expect(await countReads(portal, reference)).toBe(before + 1)
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-ios')
})

test('a web capture shows its score and no permissions', async () => {
  const page = await openDataset(portal, newest.web ?? '')
  await section(page, 'Demonstration, web').getByText('Points by characteristic').waitFor()
  await section(page, 'Device').getByText('Browsers do not report').waitFor()
  expect(await section(page, 'Permissions').count()).toBe(0)
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-web')
})

test('the page fits a phone and is accessible, light and dark', async () => {
  const page = await openDataset(portal, newest.android ?? '')
  await page.getByText('percentile, last 30 days').first().waitFor()
  await section(page, 'Activity').getByText('Insight read').waitFor()
  await checkLooks(page, 'insight')
  await page.getByText('Table', { exact: true }).click()
  await checkFits(page)
})

test('a missing score shows its reason, and a score from log-odds shows its calculation', async () => {
  const { stack } = portal
  const tenant = await stack.openTenant()
  const { subscriptionId } = tenant
  const promote = (code: string, definition: Scorecard) =>
    stack.db.transaction(async (trx) => {
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
        // one tree: up to 100 contacts, or a missing count, go left
        ...{ roots: [0], feature: [0, 0, 0], value: [100, 1.2, -0.4], left: [1, 0, 0], right: [2, 0, 0] },
        ...{ flags: [1, 0, 0], mean: [-2.1, 1.2, -0.4] },
      },
    }),
  )
  await promote(
    'gaps',
    aScorecard({
      name: 'Gaps',
      model: {
        kind: 'points',
        basePoints: 600,
        characteristics: [
          {
            ...{ name: 'contacts', input: 'contacts', reasonCode: 'FEW', baseline: 20 },
            attributes: [
              { missing: true, points: 6 },
              { else: true, points: 6 },
            ],
          },
          {
            ...{ name: 'same', input: 'contacts', reasonCode: 'FEW', baseline: 5 },
            attributes: [
              { missing: true, points: 5 },
              { else: true, points: 5 },
            ],
          },
        ],
      },
      reasons: { texts: { FEW: { en: 'Few contacts on the device' } } },
    }),
  )
  const referenceNumber = 'LN / 100% #1'
  const body = anUpload(aCapture(), { referenceNumber })
  expect((await upload(portal.url, tenant.uploaderKey, body)).status).toBe(200)
  const page = await openDataset(portal, referenceNumber, tenant.userEmail)
  await section(page, 'Strict').getByText(reason).waitFor()
  await section(page, 'Demonstration, mobile').getByText('Points by characteristic').waitFor()
  const odds = section(page, 'Odds')
  await odds.getByText(/counts lag by a minute|too few for a percentile/).waitFor()
  await odds.getByRole('img', { name: 'Baseline −2.1; Contacts +3.3; Log-odds of bad 1.2.' }).waitFor()
  await odds.getByText('its scaling converts 1.2 to the score').waitFor()
  const gaps = section(page, 'Gaps')
  await gaps.getByRole('heading', { name: 'Top negative factors' }).waitFor()
  expect(await gaps.getByRole('listitem').innerText()).toMatch(
    /Few contacts on the device\s+Contacts: \w+, −14 points vs baseline$/,
  )
  await gaps.getByRole('img', { name: 'Baseline 625; Contacts −14; Score 611.' }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'insight-scores')
  await gaps.getByRole('button', { name: '1 with no effect – show all' }).click()
  await gaps.getByRole('row', { name: 'Same' }).waitFor()
})
