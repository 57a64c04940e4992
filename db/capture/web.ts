import { z } from 'zod'
import { Browser } from './browser.ts'
import { Screen } from './device.ts'
import { Page } from './page.ts'
import { count, milliseconds, optional, text } from './scalars.ts'

const WebScreen = Screen.extend({
  availWidthPx: optional(count, 'Width without bars of the system in physical pixels, screen.availWidth'),
  availHeightPx: optional(count, 'Height without bars of the system in physical pixels, screen.availHeight'),
  colorDepth: optional(count.max(1_000), 'Bits per pixel, screen.colorDepth, 0 to 1,000'),
})

const Viewport = z.object({
  widthPx: count.describe('Width in logical pixels, innerWidth'),
  heightPx: count.describe('Height in logical pixels, innerHeight'),
})

const Preferences = z.object({
  colorScheme: optional(text, 'prefers-color-scheme: light or dark'),
  reducedMotion: optional(z.boolean(), 'Whether prefers-reduced-motion is reduce'),
  contrast: optional(text, 'prefers-contrast: no-preference, more, less or custom'),
  forcedColors: optional(z.boolean(), 'Whether forced-colors is active'),
  reducedData: optional(z.boolean(), 'Whether prefers-reduced-data is reduce'),
})

const Network = z.object({
  effectiveType: optional(text, 'Speed class of the connection, effectiveType: slow-2g, 2g, 3g or 4g'),
  rttMs: optional(milliseconds, 'Round-trip time in milliseconds, rounded by the browser, rtt'),
  downlinkMbps: optional(
    z.number().min(0).max(1e6),
    'Bandwidth in Mbit/s, rounded by the browser, downlink, 0 to 1,000,000',
  ),
  saveData: optional(z.boolean(), 'Whether the user asks to save data, saveData'),
})

const Graphics = z.object({
  canvasHash: optional(text, 'Hash of a drawing on a canvas'),
  webglHash: optional(text, 'Hash of the parameters of WebGL'),
  webglVendor: optional(text, 'Vendor of the graphics processor, UNMASKED_VENDOR_WEBGL'),
  webglRenderer: optional(text, 'Graphics processor, UNMASKED_RENDERER_WEBGL'),
  audioHash: optional(text, 'Hash of a rendered sound'),
  fontsHash: optional(text, 'Hash of the installed fonts that a page can detect'),
})

export const Web = z.object({
  browser: optional(Browser, 'The browser, as its navigator describes it'),
  screen: optional(WebScreen, 'The screen, as the browser reports it'),
  viewport: optional(Viewport, 'The part of the window that shows the page'),
  preferences: optional(Preferences, 'Preferences of the user, as media queries report them'),
  network: optional(Network, 'The connection, navigator.connection; Chromium only'),
  graphics: optional(Graphics, 'Hashes of what the browser renders, by a module that is off by default'),
  page: optional(Page, 'The page that the SDK runs in'),
})
