import { expect, test } from 'vitest'
import {
  bytesText,
  countText,
  dayText,
  durationText,
  numberText,
  ordinalText,
  percentText,
  signedText,
  sinceText,
  utcText,
} from '../../api/portal/parts/formats.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { readSourceFiles } from '../support/source-files.ts'

const portal = withPortal()

test('numbers, percentages and times each have one English format', () => {
  expect([countText(12_045), countText(10_000, true), ordinalText(1_002)]).toEqual([
    ...['12,045', '10,000+', '1,002nd'],
  ])
  expect([numberText(-1_234.5678), signedText(6), signedText(-6), signedText(0)]).toEqual([
    ...['−1234.568', '+6', '−6', '0'],
  ])
  expect([percentText(0.0831), percentText(0.2875, 1)]).toEqual(['8.31%', '28.8%'])
  expect([durationText(120), durationText(1_500), durationText(720_000)]).toEqual([
    '120 ms',
    '1.5 s',
    '12 min',
  ])
  expect([bytesText(820), bytesText(1_540), bytesText(12_000_000)]).toEqual(['820 B', '1.5 kB', '12 MB'])
  expect(dayText('2026-11-21')).toBe('21 Nov 2026')
  const at = new Date('2026-11-21T13:03:59.999Z')
  expect(utcText(at)).toBe('2026-11-21 13:03:59 UTC')
  expect(sinceText(at, at.getTime() + 780_000)).toBe('13 minutes ago')
})

test('all pages use the formats of one file', () => {
  const own = readSourceFiles().filter(
    ({ path, code }) =>
      path.startsWith('api/portal/') && /\bIntl\.|\.toLocale\w*String|\.toFixed\(/.test(code),
  )
  expect(own.map(({ path }) => path)).toEqual(['api/portal/parts/formats.ts'])
})

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec'

test.each(['de-DE', 'fa-IR'])('all text is English in a browser with the locale %s', async (locale) => {
  const { stack, url } = portal
  const tenant = await stack.openTenant()
  const bodies = Array.from({ length: 3 }, () => anUpload(aCapture()))
  for (const body of bodies) expect((await upload(url, tenant.uploaderKey, body)).status).toBe(200)
  await stack.untilProcessed(20_000)
  const page = await portal.openAs(await portal.addAdmin(tenant), { locale, timeZone: 'Asia/Tehran' })
  const text = () => page.getByRole('main').innerText()

  await page.getByRole('link', { name: bodies[0]?.referenceNumber ?? '' }).waitFor()
  expect(await text()).toMatch(new RegExp(`\\b\\d{1,2} (${MONTHS}) 20\\d\\d, \\d\\d:\\d\\d:\\d\\d`))
  expect(await text()).toMatch(/PD \d+\.\d%/)
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByText('Times in Asia/Tehran (GMT+3:30)').waitFor()
  await page.keyboard.press('Escape')

  for (const [path, expected] of [
    [`/datasets/${bodies[0]?.referenceNumber}`, /\d+ (seconds?|minutes?) ago/],
    ['/pipeline', /Processing time/],
    ['/scorecards', /since/],
    ['/audit', /Audit log/],
    ['/keys', /API keys/],
    ['/users', /Users/],
  ] as const) {
    await page.goto(path)
    await expect.poll(text, { timeout: 20_000 }).toMatch(expected)
    await page.waitForLoadState('networkidle')
    const shown = await text()
    expect(shown.match(/\p{Script=Arabic}|\b(vor|gestern|heute)\b|\d,\d\d?\s?%|\d\s%/u), path).toBeNull()
  }
  await page.goto(`/datasets/${bodies[0]?.referenceNumber}`)
  const time = page.getByRole('main').locator('time').first()
  await time.hover()
  await page
    .getByRole('tooltip')
    .getByText(/GMT\+3:30 · 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
    .waitFor()
  await takeScreenshot(page, `formats-${locale}`)
})
