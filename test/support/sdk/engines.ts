import { test } from 'vitest'
import { openBrowser } from '../portal/open-browser.ts'
import { findFirefox, openFirefox } from './open-firefox.ts'

/** What the tests do with a tab, in any browser. */
export interface Tab {
  goto(url: string): Promise<unknown>
  /** Evaluates an expression and returns its value, which is JSON. */
  evaluate(expression: string): Promise<unknown>
  click(selector: string): Promise<void>
  readonly keyboard: {
    type(text: string): Promise<void>
    press(key: 'Tab' | 'Enter' | 'Backspace'): Promise<void>
  }
  close(): Promise<void>
}

/** A user's profile: cookies and storage of its own. */
export interface Profile {
  openTab(): Promise<Tab>
  setOffline(offline: boolean): Promise<void>
  /** Kills the process that renders the tab. Only in Chromium. */
  crash?(tab: Tab): Promise<void>
  close(): Promise<void>
}

export interface Engine {
  readonly name: 'Chromium' | 'Firefox'
  /** Why the tests cannot run in it on this machine. */
  readonly missing?: string
  /** Profiles that a test uses at once: Firefox shows only one of its tabs at a time. */
  readonly atOnce: number
  openProfile(): Promise<Profile>
}

const chromium: Engine = {
  name: 'Chromium',
  atOnce: 5,
  async openProfile() {
    const context = await (await openBrowser()).newContext()
    const pages = new Map<Tab, Awaited<ReturnType<typeof context.newPage>>>()
    return {
      async openTab() {
        const page = await context.newPage()
        pages.set(page, page)
        return page
      },
      setOffline: (offline) => context.setOffline(offline),
      async crash(tab) {
        const page = pages.get(tab)
        if (!page) throw new Error('The tab is not of this profile')
        const crashed = page.waitForEvent('crash')
        const session = await context.newCDPSession(page)
        void session.send('Page.crash').catch(() => {})
        await crashed
      },
      close: () => context.close(),
    }
  },
}

const firefox: Engine = {
  name: 'Firefox',
  ...(findFirefox() === undefined && { missing: 'Firefox is not installed: apt-get install firefox-esr' }),
  atOnce: 1,
  async openProfile() {
    const context = await (await openFirefox()).createBrowserContext()
    return {
      openTab: () => context.newPage(),
      async setOffline(offline) {
        for (const page of await context.pages()) await page.setOfflineMode(offline)
      },
      close: () => context.close(),
    }
  },
}

export const ENGINES: readonly Engine[] = [chromium, firefox]

/** Declares a test for each browser; it is skipped, with the reason, where one is not installed. */
export function testInBrowsers(name: string, act: (engine: Engine) => Promise<void>): void {
  for (const engine of ENGINES)
    test(`${engine.name}: ${name}`, async ({ skip }) => {
      if (engine.missing !== undefined) skip(engine.missing)
      await act(engine)
    })
}
