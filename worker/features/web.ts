import type { CaptureInput, Extracted } from './extractor.ts'
import { parseCategory, parseMajorVersion } from './parse-text.ts'
import { parseUserAgent } from './user-agent.ts'

/** Renderers without a graphics processor, as on servers and in virtual machines. */
const SOFTWARE_RENDERER = /swiftshader|llvmpipe|softpipe|software rasterizer|basic render|mesa offscreen/i

/**
 * The browser and the captured page. 0 processors count as missing.
 *
 * Name and version are read from the user agent where the SDK does not give them; Brave only names itself in its brands.
 */
export function extractWeb({
  capture: { web, collection },
}: CaptureInput): Extracted<
  | 'web_browser'
  | 'web_browser_major'
  | 'web_in_app'
  | 'web_embedded'
  | 'web_hardware_concurrency'
  | 'web_languages_count'
  | 'web_webdriver'
  | 'web_touch_points'
  | 'web_network_type'
  | 'web_software_rendering'
  | 'web_fields_count'
  | 'web_page_views_count'
> {
  const { browser, page, graphics } = web ?? {}
  const userAgent = browser?.userAgent || collection?.request?.userAgent
  const read = userAgent ? parseUserAgent(userAgent) : undefined
  const brave = browser?.brands?.some(({ brand }) => brand === 'Brave')
  const given = parseCategory(browser?.name)
  const readName = brave ? 'brave' : parseCategory(read?.name)
  const version = browser?.version || (given === undefined || given === readName ? read?.version : undefined)
  const renderer = graphics?.webglRenderer

  return {
    web_browser: given ?? readName,
    web_browser_major: parseMajorVersion(version),
    web_in_app: read?.inApp,
    web_embedded: browser?.embedded ?? undefined,
    web_hardware_concurrency: browser?.hardwareConcurrency || undefined,
    web_languages_count: browser?.languages?.length,
    web_webdriver: browser?.webdriver ?? undefined,
    web_touch_points: browser?.touchPoints ?? undefined,
    web_network_type: parseCategory(web?.network?.effectiveType),
    web_software_rendering: renderer ? SOFTWARE_RENDERER.test(renderer) : undefined,
    web_fields_count: page?.fields?.length,
    web_page_views_count: page?.views?.length,
  }
}
