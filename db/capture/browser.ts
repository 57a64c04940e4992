import { z } from 'zod'
import { CAPTURE_BOUNDS, count, longText, optional, text } from './scalars.ts'

/** A list of texts, such as language tags. */
export const texts = z.array(text).max(CAPTURE_BOUNDS.listItems)

const Brand = z.object({
  brand: text.describe('Name of the brand, such as Chromium or Google Chrome'),
  version: optional(text, 'Version of the brand, such as 141'),
})

/** The brands of a browser's client hints, including the meaningless one that Chromium adds. */
export const brands = z.array(Brand).max(CAPTURE_BOUNDS.listItems)

const Storage = z.object({
  local: optional(z.boolean(), 'Whether localStorage can be used'),
  session: optional(z.boolean(), 'Whether sessionStorage can be used'),
  indexedDb: optional(z.boolean(), 'Whether indexedDB exists'),
})

export const Browser = z.object({
  name: optional(text, 'Name of the browser, such as Chrome or Safari; absent: read from userAgent'),
  version: optional(text, 'Version of the browser, such as 141.0; absent: read from userAgent'),
  userAgent: optional(longText, 'navigator.userAgent, at most 4,000 characters'),
  languages: optional(
    texts,
    'navigator.languages: BCP 47 language tags, the preferred one first, at most 1,000',
  ),
  cookiesEnabled: optional(z.boolean(), 'navigator.cookieEnabled'),
  hardwareConcurrency: optional(count, 'Logical processors, navigator.hardwareConcurrency'),
  deviceMemoryGb: optional(
    z.number().min(0),
    'Memory in GiB, rounded by the browser, navigator.deviceMemory; Chromium only',
  ),
  webdriver: optional(z.boolean(), 'Whether a program drives the browser, navigator.webdriver'),
  brands: optional(brands, 'navigator.userAgentData.brands, at most 1,000; Chromium only'),
  mobile: optional(z.boolean(), 'navigator.userAgentData.mobile; Chromium only'),
  platform: optional(
    text,
    'navigator.userAgentData.platform, or navigator.platform where that does not exist',
  ),
  vendor: optional(text, 'navigator.vendor'),
  touchPoints: optional(count, 'Touch contacts at once, navigator.maxTouchPoints; 0 without a touch screen'),
  pdfViewer: optional(z.boolean(), 'Whether the browser shows PDF files itself, navigator.pdfViewerEnabled'),
  gpc: optional(
    z.boolean(),
    'Whether the user objects to selling and sharing, navigator.globalPrivacyControl',
  ),
  storage: optional(Storage, 'Storage that the page can use'),
  automation: optional(
    texts,
    'Marks of programs that drive browsers, one name each, such as cdc or playwright, at most 1,000; empty if the SDK found none',
  ),
  embedded: optional(z.boolean(), 'Whether the page runs in a frame or in the web view of an application'),
})
