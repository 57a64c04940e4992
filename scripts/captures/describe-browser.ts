import { hash } from 'node:crypto'
import type { Capture } from '../../db/capture/capture.ts'
import { clamp } from './clamp.ts'
import type { Device } from './device.ts'
import type { Integration } from './integrations.ts'

type Web = NonNullable<Capture['web']>
type WebDevice = Extract<Device, { platform: 'web' }>

/** Generates `web` except the page: the same for every capture of the device. Farmed devices are driven by programs. */
export function describeBrowser(
  device: WebDevice,
  { modules }: Integration,
  lean: boolean,
): Omit<Web, 'page'> {
  const { browser } = device
  const { widthPx, heightPx, availWidthPx, availHeightPx, density, colorDepth } = browser
  return {
    browser: describeNavigator(device),
    screen: { widthPx, heightPx, density, orientation: 0, availWidthPx, availHeightPx, colorDepth },
    viewport: measureViewport(device),
    ...(!lean && {
      preferences: drawPreferences(device),
      ...(browser.hints && { network: drawNetwork(device) }),
    }),
    ...(modules.includes('graphics') && { graphics: describeGraphics(device) }),
  }
}

function describeNavigator(device: WebDevice): NonNullable<Web['browser']> {
  const { browser, farmed } = device
  const random = device.random.fork('navigator')
  const { hints } = browser
  return {
    name: browser.name,
    version: browser.version,
    userAgent: browser.userAgent,
    languages: [...browser.languages],
    cookiesEnabled: true,
    hardwareConcurrency: browser.hardwareConcurrency,
    ...(browser.deviceMemoryGb !== undefined && { deviceMemoryGb: browser.deviceMemoryGb }),
    webdriver: farmed,
    ...(hints && { brands: [...hints.brands], mobile: hints.mobile }),
    platform: hints?.platform ?? browser.platform,
    vendor: browser.vendor,
    touchPoints: browser.touchPoints,
    pdfViewer: !browser.mobile,
    gpc: random.chance(0.04),
    storage: { local: true, session: true, indexedDb: true },
    automation: farmed ? ['webdriver', ...(random.chance(0.5) ? ['cdc'] : [])] : [],
    embedded: random.chance(0.03),
  }
}

/** Logical pixels: the window without bars of the browser. A farmed browser has the size that its program sets. */
function measureViewport({ browser, random, farmed }: WebDevice): NonNullable<Web['viewport']> {
  const width = Math.round(browser.availWidthPx / browser.density)
  const height = Math.round(browser.availHeightPx / browser.density)
  if (farmed && random.fork('headless').chance(0.4)) return { widthPx: width + 480, heightPx: height + 270 }
  const bars = random.fork('window').int(browser.mobile ? 60 : 86, browser.mobile ? 130 : 150)
  return { widthPx: width, heightPx: Math.max(1, height - bars) }
}

function drawPreferences(device: WebDevice): NonNullable<Web['preferences']> {
  const random = device.random.fork('preferences')
  return {
    colorScheme: random.chance(0.4) ? 'dark' : 'light',
    reducedMotion: random.chance(0.06),
    contrast: random.chance(0.02) ? 'more' : 'no-preference',
    forcedColors: random.chance(0.01),
    reducedData: random.chance(0.02),
  }
}

/** Browsers round to 25 ms and 25 kbit/s, up to 10 Mbit/s. */
function drawNetwork(device: WebDevice): NonNullable<Web['network']> {
  const random = device.random.fork('network')
  const rttMs = Math.round(clamp(random.logNormal(90, 0.7), 0, 3_000) / 25) * 25
  return {
    effectiveType: rttMs > 1_400 ? '2g' : rttMs > 270 ? '3g' : '4g',
    rttMs,
    downlinkMbps: Math.round(clamp(random.logNormal(6, 0.7), 0.4, 10) * 40) / 40,
    saveData: random.chance(0.07),
  }
}

/** Machines of the same kind render alike. */
function describeGraphics({ browser, random, farmed }: WebDevice): NonNullable<Web['graphics']> {
  const virtual = farmed && random.fork('graphics').chance(0.5)
  const vendor = virtual ? 'Google Inc. (Google)' : browser.graphics.vendor
  const renderer = virtual
    ? 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)'
    : browser.graphics.renderer
  const hashOf = (...parts: readonly unknown[]) => hash('sha256', parts.join('/')).slice(0, 16)
  return {
    canvasHash: hashOf('canvas', renderer, browser.system, browser.systemVersion),
    webglHash: hashOf('webgl', renderer, browser.name),
    webglVendor: vendor,
    webglRenderer: renderer,
    audioHash: hashOf('audio', browser.name, browser.system),
    fontsHash: hashOf('fonts', browser.system, browser.systemVersion, random.fork('fonts').int(0, 6)),
  }
}
