import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { addUser, PASSWORD, type Tenant } from '../service.ts'
import type { StartedProcess } from '../start-process.ts'
import { startTestStack, type TestStack } from '../test-stack.ts'
import { openBrowser } from './open-browser.ts'

/** A phone, a laptop. */
const WIDTHS = { phone: 360, desktop: 1280 } as const

export const viewportOf = (width: keyof typeof WIDTHS) => ({ width: WIDTHS[width], height: 800 })

/** How a test looks at the portal. */
export interface Look {
  readonly width?: keyof typeof WIDTHS
  readonly dark?: boolean
  /** Of the viewer. */
  readonly timeZone?: string
  /** Of the browser: en-GB by default. */
  readonly locale?: string
}

/** What a browser keeps of a log-in. */
type Session = Awaited<ReturnType<BrowserContext['storageState']>>

/** The portal on real processes, and a browser. Other test files may use the same ones, each with tenants of its own. */
export interface Portal {
  readonly stack: Pick<TestStack, 'db' | 'tenant' | 'openTenant' | 'untilProcessed'>
  /** With a host for which browsers keep secure cookies without TLS. */
  readonly url: string
  readonly browser: Browser
  /** An admin of the stack's tenant; its analyst is `stack.tenant.userEmail`. */
  readonly adminEmail: string
  /** A new browser profile with one page, which fails its test when something in it throws. */
  openPage(look?: Look): Promise<Page>
  /** The same, logged in, at a path: the datasets by default. Pages of one user share a session, unless it is to be their own. */
  openAs(
    userEmail: string,
    options?: Look & { readonly at?: string; readonly ownSession?: boolean },
  ): Promise<Page>
  /** Closes all pages. @throws what failed in them. */
  closePages(): Promise<void>
  /** An admin of a tenant. */
  addAdmin(tenant: Tenant): Promise<string>
}

/** With processes that no other test file uses: they may be stopped, or have an environment of their own. */
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
  const faults: string[] = []

  async function addAdmin(tenant: Tenant): Promise<string> {
    const email = `admin-${crypto.randomUUID()}@lender.example`
    await addUser(stack.db, tenant.subscriptionId, email, 'admin')
    return email
  }

  const sessions = new Map<string, Session>()

  async function openPage(
    { width = 'desktop', dark = false, timeZone = 'Europe/Berlin', locale = 'en-GB' }: Look = {},
    session?: Session,
  ): Promise<Page> {
    const context = await browser.newContext({
      ...(session && { storageState: session }),
      baseURL: url,
      viewport: viewportOf(width),
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce', // pictures and axe see pages at rest
      locale,
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

  async function closePages(): Promise<void> {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(faults.splice(0)).toEqual([])
  }

  return {
    ...{ stack, worker, url, browser, addAdmin, closePages },
    openPage: (look) => openPage(look),
    adminEmail: await addAdmin(stack.tenant),
    async openAs(userEmail, { at = '/datasets', ownSession = false, ...look } = {}) {
      const session = ownSession ? undefined : sessions.get(userEmail)
      const page = await openPage(look, session)
      if (session) {
        await page.goto(at)
        await untilLoggedIn(page, userEmail)
      } else {
        await logInAs(page, userEmail, { at })
        if (!ownSession) sessions.set(userEmail, await page.context().storageState())
      }
      return page
    },
    async [Symbol.asyncDispose]() {
      try {
        await closePages()
      } finally {
        await stack[Symbol.asyncDispose]()
      }
    },
  }
}

/** Logs in by the login page, which leads on. */
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

const untilLoggedIn = (page: Page, userEmail: string) =>
  page.getByRole('button', { name: `Account of ${userEmail}` }).waitFor()

/** Waits until the service does not know the page's session any more; what it knows of one is believed for 3 s. */
export async function untilRefused(page: Page): Promise<void> {
  const ask = () => page.request.get('/api/account/v1/session', { headers: { 'X-Inkling-Portal': '1' } })
  await expect.poll(async () => (await ask()).status(), { timeout: 20_000, interval: 200 }).toBe(401)
}
