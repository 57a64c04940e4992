import { FingerprintGenerator } from 'fingerprint-generator'
import { parseUserAgent } from '../../worker/features/user-agent.ts'
import { clamp } from './clamp.ts'
import type { Random } from './random.ts'

/** One browser on one machine, as its `navigator` and `screen` describe it. */
export interface Browser {
  readonly name: string
  readonly version: string
  readonly userAgent: string
  readonly languages: readonly string[]
  readonly hardwareConcurrency: number
  /** Only Chromium reports it. */
  readonly deviceMemoryGb: number | undefined
  /** Client hints; only Chromium has them. */
  readonly hints: ClientHints | undefined
  /** `navigator.platform`, such as Win32. */
  readonly platform: string
  readonly vendor: string
  readonly touchPoints: number
  readonly colorDepth: number
  /** Vendor and name of the graphics processor, as WebGL reports them. */
  readonly graphics: { readonly vendor: string; readonly renderer: string }
  /** Physical pixels. */
  readonly widthPx: number
  readonly heightPx: number
  readonly availWidthPx: number
  readonly availHeightPx: number
  readonly density: number
  readonly mobile: boolean
  /** `Windows`, `macOS`, `Linux`, `Android` or `iOS` */
  readonly system: string
  readonly systemVersion: string | undefined
}

export interface ClientHints {
  readonly brands: readonly { readonly brand: string; readonly version: string }[]
  readonly mobile: boolean
  readonly platform: string
}

let generator: FingerprintGenerator | undefined

/**
 * Draws a browser from the joint distribution that fingerprint-generator ships, measured from real traffic.
 *
 * Loading the distribution takes about 200 ms once, each draw about 2 ms.
 *
 * @see https://github.com/apify/fingerprint-suite
 */
export function drawBrowser(random: Random, locales: readonly string[], mobile: boolean): Browser {
  generator ??= new FingerprintGenerator()
  const source = generator
  const { fingerprint } = withSeededMath(random, () =>
    source.getFingerprint({
      devices: [mobile ? 'mobile' : 'desktop'],
      operatingSystems: mobile ? ['android', 'ios'] : ['windows', 'macos', 'linux'],
      locales: [...locales],
    }),
  )
  const { navigator, screen, videoCard } = fingerprint
  const hints = navigator.userAgentData
  const density = screen.devicePixelRatio
  const physical = (logical: number) => Math.round(logical * density)
  return {
    ...nameBrowser(navigator.userAgent, hints?.brands.map(({ brand }) => brand) ?? []),
    userAgent: navigator.userAgent,
    languages: navigator.languages,
    hardwareConcurrency: navigator.hardwareConcurrency,
    deviceMemoryGb: navigator.deviceMemory ?? undefined,
    hints: hints && {
      brands: hints.brands.map(({ brand, version }) => ({ brand, version })),
      mobile: hints.mobile,
      platform: hints.platform,
    },
    platform: navigator.platform,
    vendor: navigator.vendor,
    touchPoints: navigator.maxTouchPoints ?? 0,
    colorDepth: screen.colorDepth,
    graphics: { vendor: videoCard.vendor, renderer: videoCard.renderer },
    widthPx: physical(screen.width),
    heightPx: physical(screen.height),
    availWidthPx: physical(clamp(screen.availWidth, 1, screen.width)),
    availHeightPx: physical(clamp(screen.availHeight, 1, screen.height)),
    density,
    mobile,
    ...nameSystem(navigator.userAgent, hints?.platformVersion),
  }
}

/**
 * Seeds fingerprint-generator, which draws from `Math.random`: replaces that with the seeded source during this
 * synchronous call, so that nothing else is affected.
 */
function withSeededMath<T>(random: Random, draw: () => T): T {
  const original = Math.random
  Math.random = () => random.float()
  try {
    return draw()
  } finally {
    Math.random = original
  }
}

function nameBrowser(userAgent: string, brands: readonly string[]): { name: string; version: string } {
  const { name, version } = parseUserAgent(userAgent)
  if (name === undefined || version === undefined) return { name: 'Safari', version: '18.0' } // a web view of iOS
  return { name: brands.includes('Brave') ? 'Brave' : name, version }
}

function nameSystem(
  userAgent: string,
  hinted: string | undefined,
): { system: string; systemVersion: string | undefined } {
  const ios = /(?:iPhone|CPU) OS (\d+)_(\d+)/.exec(userAgent)
  if (ios) return { system: 'iOS', systemVersion: `${ios[1]}.${ios[2]}` }
  const version = hinted || undefined
  if (/Android/.test(userAgent)) {
    // A reduced user agent reports Android 10 on every phone; the client hint has the actual version.
    return {
      system: 'Android',
      systemVersion: version?.split('.')[0] ?? /Android (\d+)/.exec(userAgent)?.[1],
    }
  }
  if (/Macintosh/.test(userAgent)) return { system: 'macOS', systemVersion: version }
  if (/Windows/.test(userAgent)) return { system: 'Windows', systemVersion: nameWindows(version) }
  return { system: 'Linux', systemVersion: undefined }
}

/** @see https://learn.microsoft.com/en-us/microsoft-edge/web-platform/how-to-detect-win11 */
function nameWindows(platformVersion: string | undefined): string | undefined {
  if (platformVersion === undefined) return undefined
  return Number.parseInt(platformVersion, 10) >= 13 ? '11' : '10'
}
