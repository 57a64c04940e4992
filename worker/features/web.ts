import type { CaptureInput, Extracted } from './extractor.ts'
import { parseMajorVersion, parseWord } from './words.ts'

/** The browser, and the page that the capture was taken on. A browser that claims 0 processors doesn't tell. */
export function extractWeb({
  capture: { web },
}: CaptureInput): Extracted<
  | 'web_browser'
  | 'web_browser_major'
  | 'web_hardware_concurrency'
  | 'web_languages_count'
  | 'web_webdriver'
  | 'web_fields_count'
> {
  const browser = web?.browser
  return {
    web_browser: parseWord(browser?.name),
    web_browser_major: parseMajorVersion(browser?.version),
    web_hardware_concurrency: browser?.hardwareConcurrency || undefined,
    web_languages_count: browser?.languages?.length,
    web_webdriver: browser?.webdriver ?? undefined,
    web_fields_count: web?.page?.fields?.length,
  }
}
