import type { StartOptions } from './api.ts'
import { redactPath } from './redact.ts'
import type { Facts } from './wire.ts'

declare const VERSION: string

/** What browsers have that TypeScript does not know. */
interface Navigator2 {
  deviceMemory?: number
  globalPrivacyControl?: boolean
  connection?: { effectiveType?: string; rtt?: number; downlink?: number; saveData?: boolean }
  userAgentData?: {
    brands: { brand: string; version: string }[]
    mobile: boolean
    platform: string
    getHighEntropyValues(hints: string[]): Promise<{ model?: string; platformVersion?: string }>
  }
}

/** Asked for without a prompt: whether each is granted. */
const PERMISSIONS = ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'persistent-storage']

const DRIVERS = /^_*\$?(cdc_|webdriver|selenium|phantom|nightmare|playwright|pw[A-Z_]|puppeteer|cypress)|^domAutomation/i
const WEB_VIEW = /; wv\)|FBA[NV]|Instagram|Line\//

const has = (read: () => unknown): boolean => {
  try {
    return !!read()
  } catch {
    return false
  }
}

/** Names the marks of programs that drive browsers. */
export function automationMarks(): string[] {
  const { userAgent, languages, webdriver } = navigator
  const marks = [...Object.keys(window), ...Object.keys(document)].flatMap((name) => DRIVERS.exec(name)?.[1] ?? [])
  if (webdriver) marks.push('webdriver')
  if (/headless/i.test(userAgent)) marks.push('headless')
  if (!languages.length) marks.push('no-languages')
  if (!outerWidth) marks.push('no-window')
  if (/Chrome\//.test(userAgent) && !('chrome' in window)) marks.push('no-chrome')
  return [...new Set(marks.map((mark) => mark.toLowerCase().replace(/_$/, '')))]
}

/** Reads the browser, the screen, preferences and the connection. Takes about a millisecond. */
export function readFacts({ device, modules = [] }: StartOptions): Facts {
  const agent = navigator as Navigator & Navigator2
  const { userAgentData: hints, connection } = agent
  const matches = (query: string) => matchMedia(`(${query})`).matches
  const { width, height, availWidth, availHeight, colorDepth, orientation } = screen
  const density = devicePixelRatio
  const physical = (px: number) => Math.round(px * density)
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return {
    sdk: { version: VERSION, modules: ['core', ...modules] },
    device: {
      locale: agent.language,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...device,
    },
    web: {
      browser: {
        userAgent: agent.userAgent,
        languages: agent.languages,
        cookiesEnabled: agent.cookieEnabled,
        hardwareConcurrency: agent.hardwareConcurrency,
        deviceMemoryGb: agent.deviceMemory,
        webdriver: !!agent.webdriver,
        brands: hints?.brands,
        mobile: hints?.mobile,
        platform: hints?.platform || agent.platform,
        vendor: agent.vendor,
        touchPoints: agent.maxTouchPoints,
        pdfViewer: agent.pdfViewerEnabled,
        gpc: agent.globalPrivacyControl,
        storage: {
          local: has(() => localStorage),
          session: has(() => sessionStorage),
          indexedDb: has(() => indexedDB),
        },
        automation: automationMarks(),
        embedded: self !== top || WEB_VIEW.test(agent.userAgent),
      },
      screen: {
        widthPx: physical(width),
        heightPx: physical(height),
        density,
        orientation: orientation?.angle,
        availWidthPx: physical(availWidth),
        availHeightPx: physical(availHeight),
        colorDepth,
      },
      viewport: { widthPx: innerWidth, heightPx: innerHeight },
      preferences: {
        colorScheme: matches('prefers-color-scheme:dark') ? 'dark' : 'light',
        reducedMotion: matches('prefers-reduced-motion'),
        contrast: ['more', 'less', 'custom'].find((one) => matches(`prefers-contrast:${one}`)) ?? 'no-preference',
        forcedColors: matches('forced-colors:active'),
        reducedData: matches('prefers-reduced-data:reduce'),
      },
      network: connection && {
        effectiveType: connection.effectiveType,
        rttMs: connection.rtt,
        downlinkMbps: connection.downlink,
        saveData: connection.saveData,
      },
      page: {
        origin: location.origin,
        path: redactPath(location.pathname),
        referrerOrigin: document.referrer ? new URL(document.referrer).origin : undefined,
        navigationType: navigation?.type,
      },
    },
  }
}

/** Reads what browsers give only later: granted permissions, and the model and system by client hints. */
export async function readLateFacts({ device }: StartOptions): Promise<Facts> {
  const { userAgentData } = navigator as Navigator2
  const [hints, ...permissions] = await Promise.all([
    userAgentData?.getHighEntropyValues(['model', 'platformVersion']).catch(() => undefined),
    ...PERMISSIONS.map((name) =>
      navigator.permissions?.query({ name: name as PermissionName }).then(
        ({ state }) => ({ name, granted: state === 'granted' }),
        () => undefined, // a name that the browser does not know
      ),
    ),
  ])
  return {
    permissions: permissions.filter((one) => !!one),
    device: { model: hints?.model || undefined, osVersion: hints?.platformVersion || undefined, ...device },
  }
}
