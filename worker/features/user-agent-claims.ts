import type { CaptureInput, Extracted } from './extractor.ts'
import { parseUserAgent } from './user-agent.ts'

/** Client hints of the browser, as its script or its request has them. */
interface Hints {
  readonly brands?: readonly { brand: string; version?: string | null | undefined }[] | null | undefined
  readonly mobile?: boolean | null | undefined
  readonly platform?: string | null | undefined
}

/**
 * Whether the browser says the same of itself everywhere.
 *
 * The user agent of the script has to equal that of the request. Each client hint that both sides have is compared with the
 * user agent of its side: the version of Chromium, mobile, and the system; undefined if there is none to compare. A browser
 * that claims to be mobile needs a touch screen.
 *
 * @see https://wicg.github.io/ua-client-hints/
 */
export function extractUserAgentClaims({
  capture: { web, collection },
}: CaptureInput): Extracted<
  'web_user_agent_header_agree' | 'web_user_agent_hints_agree' | 'web_touch_mobile_agree'
> {
  const browser = web?.browser
  const request = collection?.request
  const hinted = [
    ...compareHints(browser?.userAgent || request?.userAgent, browser),
    ...compareHints(request?.userAgent || browser?.userAgent, request?.clientHints),
  ]
  const mobile = browser?.mobile ?? request?.clientHints?.mobile ?? claimsMobile(browser?.userAgent)
  return {
    web_user_agent_header_agree:
      browser?.userAgent && request?.userAgent
        ? browser.userAgent.trim() === request.userAgent.trim()
        : undefined,
    web_user_agent_hints_agree: hinted.length > 0 ? hinted.every(Boolean) : undefined,
    web_touch_mobile_agree:
      browser?.touchPoints == null || mobile === undefined ? undefined : browser.touchPoints > 0 || !mobile,
  }
}

const claimsMobile = (userAgent: string | null | undefined) =>
  userAgent ? parseUserAgent(userAgent).mobile : undefined

/** Returns for each hint that can be compared whether it agrees with the user agent. */
function compareHints(userAgent: string | null | undefined, hints: Hints | null | undefined): boolean[] {
  if (!userAgent || !hints) return []
  const { system, mobile } = parseUserAgent(userAgent)
  const chromium = hints.brands?.find(({ brand }) => brand === 'Chromium')?.version
  const systems = systemsOf(hints.platform)
  return [
    ...(chromium ? [/(?:Chrome|Chromium)\/(\d+)/.exec(userAgent)?.[1] === chromium.split('.')[0]] : []),
    ...(hints.mobile == null ? [] : [hints.mobile === mobile]),
    ...(system && systems ? [systems.includes(system)] : []),
  ]
}

/**
 * Returns the systems that a platform stands for; undefined for other platforms. `navigator.platform` has the processor
 * (`Linux armv81`), on Android and Chrome OS too; an iPad that asks for desktop pages says `MacIntel`.
 */
function systemsOf(platform: string | null | undefined): readonly string[] | undefined {
  if (!platform) return undefined
  if (/^Win/i.test(platform)) return ['Windows']
  if (/^Mac/i.test(platform)) return ['macOS', 'iOS']
  if (/^(?:iPhone|iPad|iPod|iOS)/.test(platform)) return ['iOS']
  if (platform === 'Android') return ['Android']
  if (/^Chrom(?:e|ium) OS$/.test(platform)) return ['Chrome OS']
  if (platform === 'Linux') return ['Linux']
  return platform.startsWith('Linux ') ? ['Linux', 'Android', 'Chrome OS'] : undefined
}
