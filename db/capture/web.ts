import { z } from 'zod'
import { Screen } from './device.ts'
import { CAPTURE_BOUNDS, count, longText, optional, text } from './scalars.ts'

const Browser = z.object({
  name: optional(text, 'Name of the browser, such as Chrome or Safari'),
  version: optional(text, 'Version of the browser, such as 141.0'),
  userAgent: optional(longText, 'navigator.userAgent, at most 4,000 characters'),
  languages: optional(
    z.array(text).max(CAPTURE_BOUNDS.listItems),
    'navigator.languages: BCP 47 language tags, the preferred one first, at most 1,000',
  ),
  cookiesEnabled: optional(z.boolean(), 'navigator.cookieEnabled'),
  hardwareConcurrency: optional(count, 'Logical processors, navigator.hardwareConcurrency'),
  deviceMemoryGb: optional(
    z.number().min(0),
    'Memory in GiB, rounded by the browser, navigator.deviceMemory; Chromium only',
  ),
  webdriver: optional(z.boolean(), 'Whether a program drives the browser, navigator.webdriver'),
})

const Field = z.object({
  name: text.describe('Name of the form field; never its value'),
  kind: optional(text, 'HTML type of the form field, such as text, number, email or select'),
})

const Page = z.object({
  origin: optional(longText, 'Origin of the page, location.origin, at most 4,000 characters'),
  path: optional(
    longText,
    'Path of the page, location.pathname, without query and fragment, at most 4,000 characters',
  ),
  fields: optional(z.array(Field).max(CAPTURE_BOUNDS.listItems), 'Form fields of the page, at most 1,000'),
})

export const Web = z.object({
  browser: optional(Browser, 'The browser, as its navigator describes it'),
  screen: optional(Screen, 'The screen, as the browser reports it'),
  page: optional(Page, 'The page that the SDK runs in'),
})
