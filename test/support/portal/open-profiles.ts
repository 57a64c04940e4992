import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** Cookies and local storage of a signed-in browser. */
export type Session = Awaited<ReturnType<BrowserContext['storageState']>>

/** Browser profiles, which tests use one after the other: each finds them without the data of earlier tests. */
export interface Profiles {
  /** Opens a page in a free profile with these options, with the data of this session only. */
  openPage(options: ProfileOptions, session: Session | undefined): Promise<Page>
  /** Closes all pages and removes cookies, local storage and permissions. Profiles are then free. */
  reset(): Promise<void>
  close(): Promise<void>
}

type ProfileOptions = Pick<BrowserContextOptions, 'locale' | 'timezoneId'>

interface Profile {
  readonly options: ProfileOptions
  readonly context: BrowserContext
  /** Stays open, so that the renderer process does: a page in a new process uses 0.5 s more processor time. */
  readonly anchor: Page
  isFree: boolean
}

/** Any small document of the portal's origin. */
const ANCHOR = '/schemas/capture-1.json'

/** Opens profiles on demand for the pages of a portal. @param common options of all profiles, with the `baseURL`. */
export function openProfiles(browser: Browser, common: BrowserContextOptions): Profiles {
  const profiles: Profile[] = []

  async function take({ locale, timezoneId }: ProfileOptions): Promise<Profile> {
    const free = profiles.find(
      ({ isFree, options }) => isFree && options.locale === locale && options.timezoneId === timezoneId,
    )
    if (free) {
      free.isFree = false
      return free
    }
    const options = { ...(locale && { locale }), ...(timezoneId && { timezoneId }) }
    const context = await browser.newContext({ ...common, ...options })
    const anchor = await context.newPage()
    await anchor.goto(ANCHOR)
    const profile = { options, context, anchor, isFree: false }
    profiles.push(profile)
    return profile
  }

  async function reset(profile: Profile): Promise<void> {
    const { context, anchor } = profile
    const pages = context.pages().filter((page) => page !== anchor)
    await Promise.all(pages.map((page) => page.close()))
    await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)])
    // after the cookies: a closed page may run for a moment, and must not act in the session because its storage is empty
    await anchor.evaluate('localStorage.clear()')
    profile.isFree = true
  }

  return {
    async openPage(options, session) {
      const { context, anchor } = await take(options)
      if (session) {
        await context.addCookies(session.cookies)
        const stored = session.origins.flatMap(({ localStorage }) => localStorage)
        const entries = JSON.stringify(stored.map(({ name, value }) => [name, value]))
        await anchor.evaluate(`${entries}.forEach(([name, value]) => localStorage.setItem(name, value))`)
      }
      return context.newPage()
    },
    async reset() {
      await Promise.all(profiles.filter(({ isFree }) => !isFree).map(reset))
    },
    async close() {
      await Promise.all(profiles.splice(0).map(({ context }) => context.close()))
    },
  }
}
