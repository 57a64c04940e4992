import type { StartOptions } from './api.ts'
import type { Facts, HostFacts } from './wire.ts'

/** Loaded after the start: signals of the browser, the screen, preferences and the connection. */
declare const VERSION: string

/** What browsers have that TypeScript does not know. */
interface Agent extends Navigator {
  readonly connection?: object
  readonly userAgentData?: {
    readonly platform: string
    getHighEntropyValues(hints: string[]): Promise<{ model?: string; platformVersion?: string }>
  }
}

/** Asked for without a prompt: whether each is granted. */
const PERMISSIONS = 'geolocation notifications camera microphone clipboard-read persistent-storage'

/** What programs that drive browsers leave in names and in the user agent, in lower case. */
const DRIVERS =
  /(?<=[ ,_$])(cdc(?=_)|webdriver|selenium|phantom|callphantom|nightmare|playwright|pwinit|puppeteer|cypress|domautomation|headless)/g
const WEB_VIEW = /; wv\)|FBA[NV]|Instagram|Line\/|MicroMessenger/

const can = (read: () => unknown): boolean => {
  try {
    return !!read()
  } catch {
    return false
  }
}

/** Returns members of an object; `rtt>rttMs` renames one. */
const pick = (from: object | undefined, names: string): Record<string, never> =>
  Object.fromEntries<never>(
    names.split(' ').map((name) => {
      const [of = '', as = of] = name.split('>')
      return [as, from?.[of as never] as never]
    }),
  )

/** The first date format of a page takes 20 ms to make; where there is Temporal, none is needed. */
function readLocale(): HostFacts {
  const { Temporal } = self as { Temporal?: { Now: { timeZoneId(): string } } }
  return Temporal
    ? { locale: new Intl.PluralRules().resolvedOptions().locale, timeZone: Temporal.Now.timeZoneId() }
    : pick(Intl.DateTimeFormat().resolvedOptions(), 'locale timeZone')
}

const deviceOf = (device?: HostFacts): HostFacts => ({ ...readLocale(), ...device })

const px = (logical: number): number => Math.round(logical * devicePixelRatio)
const matches = (query: string): boolean => matchMedia(`(${query})`).matches

const readBrowser = (agent: Agent) => ({
  ...pick(
    agent,
    'userAgent languages hardwareConcurrency webdriver vendor cookieEnabled>cookiesEnabled deviceMemory>deviceMemoryGb maxTouchPoints>touchPoints pdfViewerEnabled>pdfViewer globalPrivacyControl>gpc',
  ),
  ...pick(agent.userAgentData, 'brands mobile'),
  platform: agent.userAgentData?.platform ?? agent.platform,
  storage: {
    local: can(() => localStorage),
    session: can(() => sessionStorage),
    indexedDb: 'indexedDB' in self,
  },
  automation: [
    ...new Set(
      ['', agent.userAgent, ...Object.keys(self), ...Object.keys(document)]
        .join()
        .toLowerCase()
        .match(DRIVERS),
    ),
  ],
  embedded: self !== top || WEB_VIEW.test(agent.userAgent),
})

const readScreen = () => ({
  widthPx: px(screen.width),
  heightPx: px(screen.height),
  availWidthPx: px(screen.availWidth),
  availHeightPx: px(screen.availHeight),
  density: devicePixelRatio,
  orientation: screen.orientation?.angle,
  colorDepth: screen.colorDepth,
})

const readPreferences = () => ({
  colorScheme: matches('prefers-color-scheme:dark') ? 'dark' : 'light',
  reducedMotion: matches('prefers-reduced-motion'),
  contrast: ['more', 'less', 'custom'].find((one) => matches(`prefers-contrast:${one}`)) ?? 'no-preference',
  forcedColors: matches('forced-colors:active'),
  reducedData: matches('prefers-reduced-data:reduce'),
})

const readPage = (path: string, referrer = document.referrer) => ({
  origin: location.origin,
  path,
  referrerOrigin: referrer ? new URL(referrer).origin : undefined,
  navigationType: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming)?.type,
})

/** What browsers give only later: granted permissions, and the model and system by client hints. */
async function readLate({ device }: StartOptions): Promise<Facts> {
  const { permissions, userAgentData } = navigator as Agent
  const asked = PERMISSIONS.split(' ').map((name) =>
    permissions
      .query({ name: name as PermissionName })
      .then(({ state }) => ({ name, granted: state === 'granted' })),
  )
  const hints = await userAgentData?.getHighEntropyValues(['model', 'platformVersion']).catch(() => undefined)
  // a name that the browser does not know is left out
  const known = (await Promise.allSettled(asked)).flatMap((one) => ('value' in one ? one.value : []))
  return {
    permissions: known,
    device: { ...deviceOf(device), ...pick(hints, 'model platformVersion>osVersion'), ...device },
  }
}

/** Yields what is known at once, in parts of about a millisecond, then the rest. */
export async function* read(options: StartOptions, path: string): AsyncGenerator<Facts> {
  const { device, modules = [] } = options
  yield { sdk: { version: VERSION, modules: ['core', ...modules] }, web: { page: readPage(path) } }
  yield { device: deviceOf(device), web: { screen: readScreen() } }
  yield { web: { browser: readBrowser(navigator) } }
  yield {
    web: {
      viewport: { widthPx: innerWidth, heightPx: innerHeight },
      preferences: readPreferences(),
      network: pick(
        (navigator as Agent).connection,
        'effectiveType rtt>rttMs downlink>downlinkMbps saveData',
      ),
    },
  }
  yield await readLate(options)
}
