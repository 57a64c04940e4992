import type { CaptureInput, Extracted } from './extractor.ts'
import { parseCategory, parseMajorVersion } from './parse-text.ts'

/** The browser and the captured page. 0 processors count as missing. */
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
    web_browser: parseCategory(browser?.name),
    web_browser_major: parseMajorVersion(browser?.version),
    web_hardware_concurrency: browser?.hardwareConcurrency || undefined,
    web_languages_count: browser?.languages?.length,
    web_webdriver: browser?.webdriver ?? undefined,
    web_fields_count: web?.page?.fields?.length,
  }
}
