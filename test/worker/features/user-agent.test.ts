import { expect, test } from 'vitest'
import { drawBrowser } from '../../../scripts/captures/browser.ts'
import { createRandom } from '../../../scripts/captures/random.ts'
import { parseUserAgent } from '../../../worker/features/user-agent.ts'
import { webFeaturesOf } from '../../support/feature-input.ts'

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'

test.each<[userAgent: string, browser: string, major: number | undefined, inApp: boolean]>([
  [`${WINDOWS} Chrome/141.0.0.0 Safari/537.36`, 'chrome', 141, false],
  [`${ANDROID} Chrome/141.0.0.0 Mobile Safari/537.36`, 'chrome', 141, false],
  [`${IPHONE} CriOS/141.0.7390.41 Mobile/15E148 Safari/604.1`, 'chrome', 141, false],
  [`${WINDOWS} HeadlessChrome/141.0.0.0 Safari/537.36`, 'chrome', 141, false],
  [`${WINDOWS} Chrome/141.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'edge', 140, false],
  [`${ANDROID} Chrome/141.0.0.0 Mobile Safari/537.36 EdgA/139.0.0.0`, 'edge', 139, false],
  [`${IPHONE} Version/18.0 EdgiOS/138.0.3351.77 Mobile/15E148 Safari/605.1.15`, 'edge', 138, false],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'firefox', 140, false],
  ['Mozilla/5.0 (Android 15; Mobile; rv:144.0) Gecko/144.0 Firefox/144.0', 'firefox', 144, false],
  [`${IPHONE} FxiOS/143.1 Mobile/15E148 Safari/605.1.15`, 'firefox', 143, false],
  [`${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`, 'safari', 18, false],
  [`${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`, 'safari', 18, false],
  [
    'Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-A546E) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
    'samsung internet',
    28,
    false,
  ],
  [`${WINDOWS} Chrome/139.0.0.0 Safari/537.36 OPR/123.0.0.0`, 'opera', 123, false],
  [`${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1 OPT/5.7.0`, 'opera', 5, false],
  [
    'Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16',
    'opera mini',
    36,
    false,
  ],
  [
    'Mozilla/5.0 (Linux; U; Android 12; en-US; CPH2239) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0.4896.58 UCBrowser/13.4.0.1306 Mobile Safari/537.36',
    'uc browser',
    13,
    false,
  ],
  [
    'Mozilla/5.0 (Linux; U; Android 13; en-in; 2201117TI Build/TKQ1) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/112.0.5615.136 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.5.0-gn',
    'mi browser',
    14,
    false,
  ],
  [
    'Mozilla/5.0 (Linux; U; Android 4.1.1; en-gb) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30',
    'android browser',
    4,
    false,
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-A155F Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.7339.51 Mobile Safari/537.36',
    'android webview',
    140,
    true,
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-A155F Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.7339.51 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/530.0.0.48.74;]',
    'facebook',
    530,
    true,
  ],
  [`${IPHONE} Mobile/22F76 [FBAN/FBIOS;FBAV/519.0.0.46.107;FBBV/748]`, 'facebook', 519, true],
  [`${IPHONE} Mobile/22F76 Instagram 390.0.0.28.85 (iPhone14,5; iOS 18_5)`, 'instagram', 390, true],
  [`${IPHONE} Mobile/15E148 Safari Line/15.9.0`, 'line', 15, true],
  [`${IPHONE} Mobile/15E148 MicroMessenger/8.0.60(0x18003c2f) NetType/4G`, 'wechat', 8, true],
  [`${IPHONE} GSA/380.0.788317806 Mobile/15E148 Safari/604.1`, 'google app', 380, true],
  [`${IPHONE} Mobile/15E148`, 'ios webview', undefined, true],
])('%s is %s %s', (userAgent, browser, major, inApp) => {
  const features = webFeaturesOf({ web: { browser: { userAgent } } })
  expect(features.web_browser).toBe(browser)
  expect(features.web_browser_major).toBe(major)
  expect(features.web_in_app).toBe(inApp)
})

test('the name and version that the SDK gives come before those of the user agent', () => {
  const userAgent = `${WINDOWS} Chrome/141.0.0.0 Safari/537.36`
  const of = (browser: object) => webFeaturesOf({ web: { browser: { userAgent, ...browser } } })
  expect(of({ name: 'Arc', version: '2.0' })).toMatchObject({ web_browser: 'arc', web_browser_major: 2 })
  expect(of({ name: 'Arc' })).not.toHaveProperty('web_browser_major')
  expect(of({ name: 'Chrome' })).toMatchObject({ web_browser: 'chrome', web_browser_major: 141 })
  expect(of({ brands: [{ brand: 'Brave', version: '141' }] })).toMatchObject({
    web_browser: 'brave',
    web_browser_major: 141,
  })
})

test('without the script’s user agent, that of the request is read', () => {
  const request = { userAgent: `${WINDOWS} Chrome/141.0.0.0 Safari/537.36` }
  expect(webFeaturesOf({ collection: { request } })).toMatchObject({
    web_browser: 'chrome',
    web_browser_major: 141,
    web_in_app: false,
  })
})

test.each([
  [`${WINDOWS} Chrome/141.0.0.0 Safari/537.36`, 'Windows', false],
  [`${ANDROID} Chrome/141.0.0.0 Mobile Safari/537.36`, 'Android', true],
  [`${ANDROID} Chrome/141.0.0.0 Safari/537.36`, 'Android', false],
  [`${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`, 'iOS', true],
  [`${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`, 'macOS', false],
  ['Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/141.0.0.0', 'Chrome OS', false],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Linux', false],
  ['curl/8.14.1', undefined, false],
])('the system of %s is %s, mobile: %s', (userAgent, system, mobile) => {
  expect(parseUserAgent(userAgent)).toMatchObject({ system, mobile })
})

test('user agents of real traffic have a browser, a version and a system', () => {
  const random = createRandom('user agents')
  for (let n = 0; n < 60; n++) {
    const { userAgent } = drawBrowser(random, ['en-PH'], n % 2 === 0)
    const { name, version, system } = parseUserAgent(userAgent)
    expect(name, userAgent).toBeDefined()
    if (name !== 'iOS WebView') expect(version, userAgent).toMatch(/^\d/)
    expect(system, userAgent).toBeDefined()
  }
})

test('the longest user agent of a capture is read in a few milliseconds', () => {
  for (const part of ['Version/1 ', '; wv) ', 'Android ', 'Zalo ', 'FBAV/', 'Chrome/1']) {
    const text = part.repeat(4_000 / part.length)
    const tookMs = Array.from({ length: 5 }, () => {
      const startedAt = performance.now()
      parseUserAgent(text)
      return performance.now() - startedAt
    })
    expect(Math.min(...tookMs), part).toBeLessThan(50)
  }
})
