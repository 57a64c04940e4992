import { afterAll, beforeAll, expect, test } from 'vitest'
import { Inkling } from '../../api/client/src/index.ts'
import { findExplainedInsight } from '../../db/datasets/insights.ts'
import type { Admin } from '../../scripts/demo-steps/admin.ts'
import { findSiteKey } from '../../scripts/demo-steps/find-site-key.ts'
import { serveApplication } from '../../scripts/demo-steps/serve-application.ts'
import { readByCode } from '../support/client.ts'
import { checkAccessibility, checkFits, takeScreenshot } from '../support/portal/check-page.ts'
import { openBrowser } from '../support/portal/open-browser.ts'
import { runAdminHere } from '../support/run-admin.ts'
import { withCaptureSite } from '../support/sdk/capture-site.ts'
import { testInBrowsers } from '../support/sdk/engines.ts'
import { addSiteKey } from '../support/site-keys.ts'

const site = withCaptureSite()
let form: Awaited<ReturnType<typeof serveApplication>>

beforeAll(async () => {
  const { subscriptionId, uploaderKey } = site.stack.tenant
  const uploader = new Inkling({ baseUrl: site.serviceUrl, key: uploaderKey })
  form = await serveApplication({
    ...{ port: 0, baseUrl: site.serviceUrl, uploader, signal: new AbortController().signal },
    findSiteKey: async (origin) =>
      (await addSiteKey(site.stack.db, { subscriptionId, origins: [origin] })).key,
  })
})
afterAll(() => form?.[Symbol.asyncDispose]())

testInBrowsers(
  'the form of the demo becomes a dataset whose insight says how it was typed',
  async (engine) => {
    const profile = await engine.openProfile()
    try {
      const tab = await profile.openTab()
      await tab.goto(form.url)
      await tab.evaluate(
        'var violations = []; addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective)); 1',
      )
      await tab.click('#consent')
      for (const [id, text] of [
        ['name', 'Ada Example'],
        ['email', 'ada@mail.example'],
        ['income', '3200'],
        ['amount', '15000'],
        ['card', '4111111111111111'],
        ['password', 'correct horse'],
      ] as const) {
        await tab.click(`#${id}`)
        await tab.keyboard.type(text)
      }
      await tab.click('button')
      await expect
        .poll(() => tab.evaluate('document.querySelector("#status a")?.textContent ?? status.textContent'), {
          timeout: 20_000,
        })
        .toMatch(/^APPLY-/)
      const referenceNumber = String(await tab.evaluate('document.querySelector("#status a").textContent'))
      expect(await tab.evaluate('document.querySelector("#status a").href')).toBe(
        `${site.serviceUrl}/datasets/${referenceNumber}`,
      )
      expect(await tab.evaluate('violations')).toEqual([])

      const { db, tenant } = site.stack
      const { status } = await readByCode(site.serviceUrl, tenant.requesterKey, referenceNumber)
      expect(status).toBe(200)
      const insight = await findExplainedInsight(db, tenant.subscriptionId, referenceNumber)
      expect(insight?.features).toMatchObject({
        // of the four fields that are not secret
        behaviour_keys_count: 'Ada Example'.length + 'ada@mail.example'.length + 4 + 5,
        behaviour_fields_count: 6,
        behaviour_pastes_count: 0,
      })
    } finally {
      await profile.close()
    }
  },
)

test('without consent nothing is sent, and the form says so', async () => {
  const context = await (await openBrowser()).newContext()
  try {
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.method()))
    await page.goto(form.url)
    for (const id of ['name', 'email', 'amount'])
      await page.fill(`#${id}`, id === 'email' ? 'a@b.example' : '1')
    await page.click('button')
    await page.getByText('Without your consent nothing was recorded').waitFor()
    expect(asked.filter((method) => method === 'POST')).toEqual([])
    expect(await page.evaluate('localStorage.length')).toBe(0)
  } finally {
    await context.close()
  }
})

test.each(['light', 'dark'] as const)(
  'the form is accessible, and fits on a phone: %s',
  async (colorScheme) => {
    // axe is a script that the page's own policy forbids
    const context = await (await openBrowser()).newContext({
      ...{ bypassCSP: true, colorScheme, viewport: { width: 360, height: 800 } },
    })
    try {
      const page = await context.newPage()
      await page.goto(form.url)
      await checkAccessibility(page)
      await checkFits(page)
      await takeScreenshot(page, `demo-application-${colorScheme}`)
    } finally {
      await context.close()
    }
  },
)

test('the next run of the demo uses the same site key for the same origin, but not a revoked one', async () => {
  const { stack } = site
  const admin: Admin = async (args) => JSON.parse((await runAdminHere(args, { env: stack.env })).stdout)
  const find = (origin: string) => findSiteKey(admin, stack.tenant.subscriptionId, origin)
  const key = await find('http://localhost:3001')
  expect(key).toMatch(/^pk_/)
  expect(await find('http://localhost:3001')).toBe(key)
  expect(await find('http://localhost:3002')).not.toBe(key)
  await admin(['site-key', 'revoke', key])
  expect(await find('http://localhost:3001')).not.toBe(key)
})
