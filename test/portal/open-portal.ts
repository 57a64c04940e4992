import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { type House, openHouse } from '../open-house.ts'
import { addUser, PASSWORD, type Tenant } from '../service.ts'
import { PROJECT, type StartedProcess } from '../start-process.ts'
import { findChromium } from './find-chromium.ts'

/** A phone, a laptop. */
export const WIDTHS = { phone: 360, desktop: 1280 } as const

/** How a test looks at the portal. */
export interface Look {
  readonly width?: keyof typeof WIDTHS
  readonly dark?: boolean
  /** Of the viewer. */
  readonly timeZone?: string
}

/** What a browser keeps of a log-in. */
type Session = Awaited<ReturnType<BrowserContext['storageState']>>

/** The portal on real processes, and a browser. */
export interface Portal extends AsyncDisposable {
  readonly house: House
  readonly worker: StartedProcess
  /** With a host for which browsers keep secure cookies without TLS. */
  readonly url: string
  readonly browser: Browser
  /** An admin of the house's tenant; its analyst is `house.tenant.userEmail`. */
  readonly adminEmail: string
  /** A new browser profile with one page, which fails its test when something in it throws. */
  openPage(look?: Look): Promise<Page>
  /** The same, logged in at the datasets; pages of one user share a session, unless it is to be their own. */
  openAs(userEmail: string, look?: Look & { readonly ownSession?: boolean }): Promise<Page>
  /** An admin of a tenant. */
  addAdmin(tenant: Tenant): Promise<string>
}

/** Starts web, worker and browser. The caller disposes of it, and has Vitest's timeouts long enough: see `PORTAL_MS`. */
export async function openPortal(env: Record<string, string> = {}): Promise<Portal> {
  const house = await openHouse({ env })
  const [web, worker, browser] = await Promise.all([
    house.startWeb(),
    house.startWorker(),
    chromium.launch({
      executablePath: findChromium(),
      args: [
        ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
        ...['--disable-sync', '--no-first-run'],
      ],
    }),
  ])
  const url = web.url.replace('127.0.0.1', 'localhost')
  const contexts: BrowserContext[] = []
  const faults: string[] = []

  async function addAdmin(tenant: Tenant): Promise<string> {
    const email = `admin-${crypto.randomUUID()}@lender.example`
    await addUser(house.db, tenant.subscriptionId, email, 'admin')
    return email
  }

  const sessions = new Map<string, Session>()

  async function openPage(
    { width = 'desktop', dark = false, timeZone = 'Europe/Berlin' }: Look = {},
    session?: Session,
  ): Promise<Page> {
    const context = await browser.newContext({
      ...(session && { storageState: session }),
      baseURL: url,
      viewport: { width: WIDTHS[width], height: 800 },
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce', // pictures and axe see pages at rest
      locale: 'en-GB',
      timezoneId: timeZone,
    })
    contexts.push(context)
    const page = await context.newPage()
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.stack}`))
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) faults.push(message.text())
    })
    return page
  }

  return {
    ...{ house, worker, url, browser, addAdmin },
    openPage: (look) => openPage(look),
    adminEmail: await addAdmin(house.tenant),
    async openAs(userEmail, { ownSession = false, ...look } = {}) {
      const session = ownSession ? undefined : sessions.get(userEmail)
      const page = await openPage(look, session)
      if (session) {
        await page.goto('/')
        await untilLoggedIn(page, userEmail)
      } else {
        await logInAs(page, userEmail)
        if (!ownSession) sessions.set(userEmail, await page.context().storageState())
      }
      return page
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(contexts.map((context) => context.close()))
      await browser.close()
      await house[Symbol.asyncDispose]()
      expect(faults).toEqual([])
    },
  }
}

/** For `vi.setConfig({ testTimeout: PORTAL_MS, hookTimeout: PORTAL_MS })`: two cores may have several browsers to run. */
export const PORTAL_MS = 60_000

/** Logs in by the login page. */
export async function logInAs(page: Page, userEmail: string, password = PASSWORD): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(userEmail)
  await page.locator('[autocomplete="current-password"]').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await untilLoggedIn(page, userEmail)
}

const untilLoggedIn = (page: Page, userEmail: string) =>
  page.getByRole('button', { name: `Account of ${userEmail}` }).waitFor()

/** Nothing on the page as it is keeps people from using it, as far as a program can tell. @see WCAG 2.2, levels A and AA */
export async function checkAccessibility(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze()
  const told = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((n) => n.html).join('\n  ')}`,
  )
  expect(told).toEqual([])
}

/** Nothing is wider than the screen. */
export async function checkFits(page: Page): Promise<void> {
  const beyond = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect(beyond, 'pixels beyond the screen').toBeLessThanOrEqual(0)
}

/** Keeps a picture of the page for people to look at: test/screenshots/NAME.png. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  const directory = join(PROJECT, 'test/screenshots')
  await mkdir(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true })
}
