import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Koa from 'koa'
import { expect, test } from 'vitest'
import { handleErrors } from '../../api/http/error-handler.ts'
import { servePortal } from '../../api/http/serve-portal.ts'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { checkAccessibility, checkFits, checkLooks, takeScreenshot } from '../support/portal/check-page.ts'
import { logInAs } from '../support/portal/open-portal.ts'
import { withPortal } from '../support/portal/with-portal.ts'

/** Limits the total size of the responses of a first visit. */
const MAX_FIRST_LOAD_BYTES = 225_000

const portal = withPortal()

test('visitors without a session are asked to sign in; the login page fits a phone, light and dark', async () => {
  const page = await portal.openPage()
  await page.goto('/datasets#clientId=C-1')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  // the filters stay in the fragment, which no server sees
  expect(new URL(page.url()).search).toBe(`?next=${encodeURIComponent('/datasets')}`)
  expect(new URL(page.url()).hash).toBe('#clientId=C-1')
  await checkAccessibility(page)
  await takeScreenshot(page, 'login')
  await checkLooks(page, 'login')
})

test('a first visit loads at most 225 KB, and a second one loads no assets again', async () => {
  const page = await portal.openPage()
  const loaded = async () => {
    const sizes: Promise<{ url: string; bytes: number }>[] = []
    const listen = async (request: { url(): string; sizes(): Promise<{ responseBodySize: number }> }) =>
      sizes.push(
        request.sizes().then(({ responseBodySize }) => ({ url: request.url(), bytes: responseBodySize })),
      )
    page.on('requestfinished', listen)
    await page.goto('/login', { waitUntil: 'networkidle' })
    page.off('requestfinished', listen)
    return Promise.all(sizes)
  }
  const first = await loaded()
  const bytes = first.reduce((sum, one) => sum + one.bytes, 0)
  expect(first.length).toBeGreaterThan(4)
  expect(bytes).toBeLessThan(MAX_FIRST_LOAD_BYTES)
  const again = await loaded()
  expect(again.filter(({ url, bytes }) => url.includes('/assets/') && bytes > 0)).toEqual([])
})

test('pages have a strict content security policy, hashed assets are immutable, and unknown paths return a problem', async () => {
  const html = await fetch(`${portal.url}/datasets`, { headers: { accept: 'text/html' } })
  expect(html.status).toBe(200)
  const policy = html.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("script-src 'self';")
  const nonce = /style-src 'self' 'nonce-([\w+/]{22}==)';/.exec(policy)?.[1]
  expect(html.headers.get('cache-control')).toBe('no-store')
  expect(html.headers.get('cross-origin-opener-policy')).toBe('same-origin')
  const text = await html.text()
  expect(text).toContain(`<style nonce="${nonce}">`)
  const again = await fetch(`${portal.url}/datasets`, { headers: { accept: 'text/html' } })
  expect(again.headers.get('content-security-policy')).not.toContain(nonce)
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/)
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1]
  const asset = await fetch(`${portal.url}${script}`, { headers: { 'accept-encoding': 'br' } })
  expect(asset.headers.get('content-encoding')).toBe('br')
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(asset.headers.get('content-type')).toContain('text/javascript')
  for (const [path, accept] of [
    ['/assets/nothing.js', '*/*'],
    ['/assets/../index.html', '*/*'],
    ['/nothing', 'application/json'],
    ['/index.html.br', '*/*'],
  ] as const) {
    const answer = await fetch(portal.url + path, { headers: { accept } })
    expect(answer.status, path).toBe(404)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  }
  expect(
    (await fetch(`${portal.url}/datasets`, { method: 'POST', headers: { accept: 'text/html' } })).status,
  ).toBe(404)
})

test('web without a built portal returns the command that builds it', async () => {
  const app = new Koa()
    .use(handleErrors() as Koa.Middleware)
    .use(servePortal(join(import.meta.dirname, 'nowhere')))
  const server = app.listen(0)
  try {
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const answer = await fetch(`http://localhost:${port}/`, { headers: { accept: 'text/html' } })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      title: 'route_not_found',
      detail: expect.stringContaining('npm run build'),
    })
  } finally {
    server.close()
  }
})

test('the navigation works by keyboard, on a phone and in dark mode', async () => {
  const admin = await portal.openAs(portal.adminEmail)
  const pages = admin.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('link', { name: 'API keys' }).waitFor()
  await admin.keyboard.press('Tab')
  await admin.getByRole('link', { name: 'Skip to content' }).and(admin.locator(':focus')).waitFor()
  await checkAccessibility(admin)

  const analyst = await portal.openAs(portal.stack.tenant.userEmail, { width: 'phone', dark: true })
  await analyst.getByLabel('Open menu').click()
  await analyst.getByRole('link', { name: 'Get started' }).waitFor()
  await checkAccessibility(analyst)
  await takeScreenshot(analyst, 'menu-phone-dark')
  await analyst.goto('/nowhere')
  await analyst.getByText('No page at this address').waitFor()
  await checkFits(analyst)
})

const ADMIN_PAGES = [
  '/users',
  '/keys',
  '/keys/site',
  '/keys/webhooks',
  '/keys/limits',
  '/audit',
  '/scorecards/upload',
]

/** Requests of the admin pages, which analysts are refused. */
const ADMIN_REQUESTS = [
  '/api/users/v1',
  '/api/keys/v1',
  '/api/site-keys/v1',
  '/api/limits/v1',
  '/api/audit/v1',
]

test('an analyst sees no links to admin pages, sees whom to ask at their URLs, and is refused by the API', async () => {
  const page = await portal.openPage()
  const requested: string[] = []
  page.on('request', (request) => requested.push(new URL(request.url()).pathname))
  await logInAs(page, portal.stack.tenant.userEmail)
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  expect(await links.allTextContents()).toEqual(['Datasets', 'Get started', 'Scorecards', 'Pipeline'])
  for (const path of ADMIN_PAGES) {
    await page.goto(path)
    await page.getByText('Ask an admin of your subscription').waitFor()
  }
  await checkAccessibility(page)
  for (const path of ADMIN_REQUESTS) {
    expect(requested).not.toContain(path)
    const refused = await page.request.get(path, { headers: { 'X-Inkling-Portal': '1' } })
    expect([refused.status(), (await refused.json()).title]).toEqual([403, 'forbidden'])
  }
})

test('an analyst reads scorecards, their stability and the pipeline, without any actions that change them', async () => {
  const { stack, url, worker } = portal
  const tenant = await stack.openTenant()
  const bad = anUpload(undefined, { data: Buffer.from('no gzip').toString('base64') })
  expect((await upload(url, tenant.uploaderKey, bad)).status).toBe(200)
  expect((await upload(url, tenant.uploaderKey, anUpload())).status).toBe(200)
  await stack.untilProcessed(20_000)
  const page = await portal.openAs(tenant.userEmail, { at: '/scorecards' })
  await page.getByRole('heading', { name: 'Fragments' }).waitFor()
  await page.getByText('Device: brand, model, operating system').waitFor()
  const actions = page.getByRole('main').getByRole('button')
  expect(await actions.count()).toBe(0)
  expect(await page.getByRole('link', { name: /Upload/ }).count()).toBe(0)
  await checkAccessibility(page)
  await takeScreenshot(page, 'scorecards-analyst')

  await page.getByRole('link', { name: 'Demonstration, mobile' }).click()
  await page.getByRole('heading', { name: 'No backtest yet' }).waitFor()
  expect(await actions.allTextContents()).toEqual(['']) // copies the version
  await page.getByRole('tab', { name: 'Stability' }).click()
  await page.getByText('No measurements yet').waitFor()

  worker.send('SIGSTOP')
  try {
    for (let n = 0; n < 2; n++) await upload(url, tenant.uploaderKey, anUpload())
    await stack
      .db('datasets')
      .where({ subscription_id: tenant.subscriptionId, status: 'received' })
      .update({ uploaded_at: new Date(Date.now() - 300_000) })
    await page.goto('/pipeline')
    await page.getByText('2 datasets are overdue').waitFor()
    await page.getByRole('listitem', { name: 'not_gzip' }).getByText('1 now').waitFor()
    const names = (await actions.allTextContents()).filter((name) => name !== 'Table')
    expect(names).toEqual([])
    await takeScreenshot(page, 'pipeline-analyst')
  } finally {
    worker.send('SIGCONT')
  }
})

/** Measures the cumulative layout shift in Chromium. @see https://web.dev/articles/cls: up to 0.1 is good */
const LAYOUT_SHIFTS = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value
  }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 500)
})`

test('a page is usable soon after it loads, without layout shifts', async () => {
  const page = await portal.openAs(portal.adminEmail)
  const usableMs: number[] = []
  for (let round = 0; round < 3; round++) {
    await page.goto('/datasets')
    await page.getByRole('heading', { name: 'Datasets' }).waitFor()
    usableMs.push(Number(await page.evaluate('performance.now()')))
    expect(await page.evaluate(LAYOUT_SHIFTS)).toBeLessThan(0.02)
  }
  // the target is 1 s on an idle machine: here other tests run in parallel
  expect(Math.min(...usableMs)).toBeLessThan(2_000)
})
