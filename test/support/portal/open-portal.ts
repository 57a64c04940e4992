import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { addUser, PASSWORD, type Tenant } from '../service.ts'
import type { StartedProcess } from '../start-process.ts'
import { startTestStack, type TestStack } from '../test-stack.ts'
import { openBrowser } from './open-browser.ts'
import { openProfiles, type Session } from './open-profiles.ts'
import { watchPage } from './watch-page.ts'

/** Widths of a phone and a laptop, in CSS pixels. */
const WIDTHS = { phone: 360, desktop: 1280 } as const

export const viewportOf = (width: keyof typeof WIDTHS) => ({ width: WIDTHS[width], height: 800 })

/** Browser settings for a test. */
export interface Look {
  readonly width?: keyof typeof WIDTHS
  readonly dark?: boolean
  /** Time zone of the viewer: Europe/Berlin by default. */
  readonly timeZone?: string
  /** Locale of the browser: en-GB by default. */
  readonly locale?: string
}

/** The portal on real processes, and a browser. Test files may share them, each with its own tenants. */
export interface Portal {
  readonly stack: Pick<TestStack, 'db' | 'owner' | 'tenant' | 'openTenant' | 'untilProcessed'>
  /** Suspended with SIGSTOP, it shows a test what waits. */
  readonly worker: Pick<StartedProcess, 'send'>
  /** Its host is one for which browsers store secure cookies without TLS. */
  readonly url: string
  readonly browser: Browser
  /** An admin of the stack's tenant; its analyst is `stack.tenant.userEmail`. */
  readonly adminEmail: string
  /**
   * Opens a page in a new browser profile, for a test that changes its browser context (clock, scripts, listeners) or is about
   * a first visit. An error thrown in the page fails the test.
   */
  openPage(look?: Look): Promise<Page>
  /**
   * Opens a page, signed in, at a path: the datasets by default. Its profile has the cache of earlier tests. Pages of a user
   * share a session; with `ownSession` it is new, for a test that ends it.
   */
  openAs(
    userEmail: string,
    options?: Look & { readonly at?: string; readonly ownSession?: boolean },
  ): Promise<Page>
  /** Describes the pages that tests have opened, for the report of a failure. */
  describePages(): Promise<string>
  /** Closes all pages. @throws if there were errors in them. */
  closePages(): Promise<void>
  /** Adds an admin to a tenant. @returns the e-mail address. */
  addAdmin(tenant: Tenant): Promise<string>
}

/** A portal with processes that no other test file uses: they may be stopped, or have a different environment. */
export interface OwnPortal extends Portal, AsyncDisposable {
  readonly stack: TestStack
  readonly worker: StartedProcess
}

/** Starts web, worker and browser. The caller disposes of it. */
export async function openPortal(env: Record<string, string> = {}): Promise<OwnPortal> {
  const stack = await startTestStack({ env })
  const [web, worker, browser] = await Promise.all([stack.startWeb(), stack.startWorker(), openBrowser()])
  const url = web.url.replace('127.0.0.1', 'localhost')
  const contexts: BrowserContext[] = []
  const pageErrors: string[] = []
  const describeOne: (() => Promise<string>)[] = []

  async function addAdmin(tenant: Tenant): Promise<string> {
    const email = `admin-${crypto.randomUUID()}@lender.example`
    await addUser(stack.db, tenant.subscriptionId, email, 'admin')
    return email
  }

  const sessions = new Map<string, Session>()

  const common: BrowserContextOptions = {
    baseURL: url,
    viewport: viewportOf('desktop'),
    reducedMotion: 'reduce', // screenshots and axe see pages without animations
  }
  const profiles = openProfiles(browser, common)

  /** Opens a page: in the new profile, or one of those that tests reuse, with the data of this session. */
  async function openPage(
    { width = 'desktop', dark = false, timeZone = 'Europe/Berlin', locale = 'en-GB' }: Look,
    { isNew, session }: { isNew: boolean; session?: Session | undefined },
  ): Promise<Page> {
    const options = { locale, timezoneId: timeZone }
    let page: Page
    if (isNew) {
      const context = await browser.newContext({ ...common, ...options })
      contexts.push(context)
      page = await context.newPage()
    } else page = await profiles.openPage(options, session)
    if (width !== 'desktop') await page.setViewportSize(viewportOf(width))
    describeOne.push(watchPage(page))
    if (dark) await page.emulateMedia({ colorScheme: 'dark' })
    page.on('pageerror', (error) => pageErrors.push(`${page.url()}: ${error.stack}`))
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) pageErrors.push(message.text())
    })
    return page
  }

  const describePages = async () => (await Promise.all(describeOne.map((describe) => describe()))).join('\n')

  async function closePages(): Promise<void> {
    describeOne.length = 0
    await Promise.all([profiles.reset(), ...contexts.splice(0).map((context) => context.close())])
    expect(pageErrors.splice(0)).toEqual([])
  }

  return {
    ...{ stack, worker, url, browser, addAdmin, describePages, closePages },
    openPage: (look = {}) => openPage(look, { isNew: true }),
    adminEmail: await addAdmin(stack.tenant),
    async openAs(userEmail, { at = '/datasets', ownSession = false, ...look } = {}) {
      const session = ownSession ? undefined : sessions.get(userEmail)
      const page = await openPage(look, { isNew: false, session })
      if (session) {
        await page.goto(at)
        await untilLoggedIn(page, userEmail)
        return page
      }
      await logInAs(page, userEmail, { at })
      if (!ownSession) sessions.set(userEmail, await page.context().storageState())
      return page
    },
    async [Symbol.asyncDispose]() {
      try {
        await closePages()
      } finally {
        await profiles.close()
        await stack[Symbol.asyncDispose]()
      }
    },
  }
}

/** Signs in on the login page, which redirects to `at`. */
export async function logInAs(
  page: Page,
  userEmail: string,
  { at = '/datasets', password = PASSWORD }: { at?: string; password?: string } = {},
): Promise<void> {
  await page.goto(`/login?next=${encodeURIComponent(at)}`)
  await page.getByLabel('E-mail').fill(userEmail)
  await page.locator('[autocomplete="current-password"]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await untilLoggedIn(page, userEmail)
}

/** @throws an error that says what the page shows instead */
async function untilLoggedIn(page: Page, userEmail: string): Promise<void> {
  try {
    await page.getByRole('button', { name: `Account of ${userEmail}` }).waitFor()
  } catch (error) {
    const shown = await page.locator('body').innerText()
    throw new Error(`${userEmail} is not signed in at ${page.url()}, which shows: ${shown}`, { cause: error })
  }
}

/** Waits until the service refuses the page's session, whose status it caches for 3 s. */
export async function untilRefused(page: Page): Promise<void> {
  const ask = () => page.request.get('/api/account/v1/session', { headers: { 'X-Inkling-Portal': '1' } })
  await expect.poll(async () => (await ask()).status(), { timeout: 20_000, interval: 200 }).toBe(401)
}
