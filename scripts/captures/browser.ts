import { FingerprintGenerator } from 'fingerprint-generator'
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
  /** Physical pixels. */
  readonly widthPx: number
  readonly heightPx: number
  readonly density: number
  readonly mobile: boolean
  /** `Windows`, `macOS`, `Linux`, `Android` or `iOS` */
  readonly system: string
  readonly systemVersion: string | undefined
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
  const { navigator, screen } = fingerprint
  const density = screen.devicePixelRatio
  return {
    ...nameBrowser(navigator.userAgent, navigator.userAgentData?.brands.map(({ brand }) => brand) ?? []),
    userAgent: navigator.userAgent,
    languages: navigator.languages,
    hardwareConcurrency: navigator.hardwareConcurrency,
    deviceMemoryGb: navigator.deviceMemory ?? undefined,
    widthPx: Math.round(screen.width * density),
    heightPx: Math.round(screen.height * density),
    density,
    mobile,
    ...nameSystem(navigator.userAgent, navigator.userAgentData?.platformVersion),
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

const PRODUCTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /Edg(?:A|iOS)?\/([\d.]+)/],
  ['Opera', /OPR\/([\d.]+)/],
  ['Samsung Internet', /SamsungBrowser\/([\d.]+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/([\d.]+)/],
  ['Chrome', /(?:Chrome|CriOS)\/([\d.]+)/],
  ['Safari', /Version\/([\d.]+).*Safari/],
]

/** The order matters: each product also claims to be those after it. */
function nameBrowser(userAgent: string, brands: readonly string[]): { name: string; version: string } {
  for (const [name, pattern] of PRODUCTS) {
    const version = pattern.exec(userAgent)?.[1]
    if (version !== undefined) return { name: brands.includes('Brave') ? 'Brave' : name, version }
  }
  return { name: 'Safari', version: '18.0' } // an in-app web view of iOS, which names no product
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
