/** Data that a user agent string contains. */
export interface UserAgent {
  /** Name of the browser, or of the application whose web view shows the page; undefined if unknown. */
  readonly name: string | undefined
  readonly version: string | undefined
  /** Whether it is the web view of an application. */
  readonly inApp: boolean
  /** `Windows`, `macOS`, `iOS`, `Android`, `Chrome OS` or `Linux`; undefined if unknown. */
  readonly system: string | undefined
  readonly mobile: boolean
}

type Product = readonly [name: string, pattern: RegExp]

/** Applications that show pages in a web view. Their user agents also name the browser of the system. */
const APPS: readonly Product[] = [
  ['Facebook', /FBAV\/([\d.]+)/],
  ['Facebook', /FBAN\/|FB_IAB\//],
  ['Instagram', /Instagram ([\d.]+)/],
  ['TikTok', /(?:musical_ly|trill)_([\d.]+)/],
  ['TikTok', /BytedanceWebview/],
  ['LINE', /\bLine\/([\d.]+)/],
  ['WeChat', /MicroMessenger\/([\d.]+)/],
  ['KakaoTalk', /KAKAOTALK[/ ]([\d.]+)/],
  ['Zalo', /\bZalo\b(?:[^/]{0,20}\/([\d.]+))?/],
  ['Snapchat', /Snapchat\/([\d.]+)/],
  ['LinkedIn', /LinkedInApp(?:\/([\d.]+))?/],
  ['Twitter', /Twitter(?:Android| for (?:iPhone|iPad))(?:\/([\d.]+))?/],
  ['Google app', /\bGSA\/([\d.]+)/],
]

/** The order matters: each browser also claims to be one of those after it. */
const BROWSERS: readonly Product[] = [
  ['Edge', /Edg(?:A|iOS|e)?\/([\d.]+)/],
  ['Opera Mini', /Opera Mini\/([\d.]+)/],
  ['Opera', /(?:OPR|OPT|OPX|OPiOS|Opera)\/([\d.]+)/],
  ['Samsung Internet', /SamsungBrowser\/([\d.]+)/],
  ['UC Browser', /\bUC?Browser\/([\d.]+)/],
  ['Mi Browser', /MiuiBrowser\/([\d.]+)/],
  ['Huawei Browser', /HuaweiBrowser\/([\d.]+)/],
  ['Vivo Browser', /VivoBrowser\/([\d.]+)/],
  ['HeyTap Browser', /HeyTapBrowser\/([\d.]+)/],
  ['QQ Browser', /QQBrowser\/([\d.]+)/],
  ['Yandex', /YaBrowser\/([\d.]+)/],
  ['Vivaldi', /Vivaldi\/([\d.]+)/],
  ['Whale', /Whale\/([\d.]+)/],
  ['Silk', /Silk\/([\d.]+)/],
  ['DuckDuckGo', /(?:DuckDuckGo|Ddg)\/([\d.]+)/],
  ['Firefox', /(?:Firefox|FxiOS|Focus)\/([\d.]+)/],
  ['Android WebView', /(?:; wv\).{0,200}|Version\/4\.0 )Chrome\/([\d.]+)/],
  ['Chrome', /(?:Chrome|CriOS|Chromium)\/([\d.]+)/],
  ['Android Browser', /Android.{0,200}Version\/([\d.]+)/],
  ['Safari', /Version\/([\d.]+)(?=[^(]{0,200}Safari\/)/],
]

const IOS = /\b(?:iPhone|iPad|iPod)\b/

/**
 * Reads browser and system from a user agent string.
 *
 * A web view names its application where that names itself; otherwise it is `Android WebView` or `iOS WebView`.
 *
 * @see https://developer.mozilla.org/docs/Web/HTTP/Guides/Browser_detection_using_the_user_agent
 */
export function parseUserAgent(text: string): UserAgent {
  const app = findProduct(APPS, text)
  const browser = app ?? findProduct(BROWSERS, text) ?? (isIosWebView(text) ? IOS_WEB_VIEW : undefined)
  return {
    name: browser?.name,
    version: browser?.version,
    inApp: app !== undefined || browser === IOS_WEB_VIEW || browser?.name === 'Android WebView',
    system: nameSystem(text),
    mobile: /\bMobile\b|\bMobi\b/.test(text) || IOS.test(text),
  }
}

const IOS_WEB_VIEW = { name: 'iOS WebView', version: undefined }

/** Safari and the browsers of iOS add `Safari/`; a web view does not. */
const isIosWebView = (text: string) => IOS.test(text) && text.includes('AppleWebKit/')

function findProduct(
  products: readonly Product[],
  text: string,
): { readonly name: string; readonly version: string | undefined } | undefined {
  for (const [name, pattern] of products) {
    const match = pattern.exec(text)
    if (match) return { name, version: match[1] || undefined }
  }
  return undefined
}

function nameSystem(text: string): string | undefined {
  if (IOS.test(text)) return 'iOS'
  if (text.includes('Android')) return 'Android'
  if (text.includes('Windows')) return 'Windows'
  if (text.includes('Macintosh')) return 'macOS'
  if (text.includes('CrOS')) return 'Chrome OS'
  return text.includes('Linux') || text.includes('X11') ? 'Linux' : undefined
}
