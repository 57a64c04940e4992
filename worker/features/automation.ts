import type { CaptureInput, Extracted } from './extractor.ts'

const HEADLESS = /\bHeadlessChrome\/|\bPhantomJS\//

/**
 * Marks of programs that drive the browser.
 *
 * `web_automation` also covers `navigator.webdriver` and the user agent of a headless browser; false needs the SDK to have
 * looked for a mark or for `navigator.webdriver`.
 */
export function extractAutomation({
  capture: { web, collection },
}: CaptureInput): Extracted<'web_automation' | 'web_automation_count'> {
  const marks = web?.browser?.automation
  const webdriver = web?.browser?.webdriver
  const headless = [web?.browser?.userAgent, collection?.request?.userAgent].some(
    (userAgent) => userAgent != null && HEADLESS.test(userAgent),
  )
  const driven = headless || webdriver === true || (marks?.length ?? 0) > 0
  return {
    web_automation: driven || marks != null || webdriver != null ? driven : undefined,
    web_automation_count: marks ? new Set(marks).size : undefined,
  }
}
