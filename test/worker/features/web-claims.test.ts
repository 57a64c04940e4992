import { describe, expect, test } from 'vitest'
import { webFeaturesOf } from '../../support/feature-input.ts'

const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const ANDROID =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
const FIREFOX = 'Mozilla/5.0 (Android 15; Mobile; rv:144.0) Gecko/144.0 Firefox/144.0'

const chromium = (version: string) => [
  { brand: 'Not;A=Brand', version: '99' },
  { brand: 'Chromium', version },
  { brand: 'Google Chrome', version },
]

describe('automation', () => {
  test.each<[browser: object, any: boolean | undefined, marks: number | undefined]>([
    [{}, undefined, undefined],
    [{ userAgent: WINDOWS }, undefined, undefined],
    [{ webdriver: false }, false, undefined],
    [{ webdriver: true, automation: [] }, true, 0],
    [{ automation: [] }, false, 0],
    [{ webdriver: false, automation: ['cdc', 'playwright', 'cdc'] }, true, 2],
    [{ userAgent: WINDOWS.replace('Chrome/', 'HeadlessChrome/') }, true, undefined],
  ])('%j: %s, %s marks', (browser, any, marks) => {
    const features = webFeaturesOf({ web: { browser } })
    expect([features.web_automation, features.web_automation_count]).toEqual([any, marks])
  })

  test('a headless browser is also recognised by its request', () => {
    const request = { userAgent: WINDOWS.replace('Chrome/', 'HeadlessChrome/') }
    expect(webFeaturesOf({ collection: { request } }).web_automation).toBe(true)
  })

  test.each([
    ['Google SwiftShader', true],
    ['ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)', true],
    ['Mesa/X.org, llvmpipe (LLVM 15.0.6, 256 bits)', true],
    ['ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0)', true],
    ['ANGLE (Apple, ANGLE Metal Renderer: Apple M2, Unspecified Version)', false],
    ['Adreno (TM) 610', false],
    ['', undefined],
  ])('graphics of %s are rendered in software: %s', (webglRenderer, software) => {
    const features = webFeaturesOf({ web: { graphics: { webglRenderer } } })
    expect(features.web_software_rendering).toBe(software)
  })
})

describe('the user agent', () => {
  test.each<[script: string | null, request: string | null, agree: boolean | undefined]>([
    [WINDOWS, WINDOWS, true],
    [WINDOWS, ` ${WINDOWS} `, true],
    [WINDOWS, ANDROID, false],
    [WINDOWS, null, undefined],
    [null, WINDOWS, undefined],
  ])('of script %s and request %s agree: %s', (script, request, agree) => {
    const features = webFeaturesOf({
      web: { browser: { userAgent: script } },
      collection: { request: { userAgent: request } },
    })
    expect(features.web_user_agent_header_agree).toBe(agree)
  })

  test.each<[userAgent: string, hints: object, agree: boolean | undefined]>([
    [WINDOWS, {}, undefined],
    [WINDOWS, { brands: chromium('141'), mobile: false, platform: 'Windows' }, true],
    [WINDOWS, { brands: chromium('141.0.7390.54') }, true],
    [WINDOWS, { brands: chromium('139') }, false],
    [WINDOWS, { brands: [{ brand: 'Not;A=Brand', version: '99' }] }, undefined],
    [WINDOWS, { mobile: true }, false],
    [WINDOWS, { platform: 'Win32' }, true],
    [WINDOWS, { platform: 'Linux x86_64' }, false],
    [WINDOWS, { platform: 'Plan 9' }, undefined],
    [ANDROID, { brands: chromium('141'), mobile: true, platform: 'Android' }, true],
    [ANDROID, { platform: 'Linux armv81' }, true],
    [ANDROID, { platform: 'Linux' }, false],
    [ANDROID, { mobile: false }, false],
    [IPHONE, { platform: 'iPhone' }, true],
    [IPHONE, { platform: 'MacIntel' }, true],
    [IPHONE, { brands: chromium('141') }, false],
    [FIREFOX, { platform: 'Linux aarch64' }, true],
    [FIREFOX, { brands: chromium('141') }, false],
  ])('%s and hints %j agree: %s', (userAgent, hints, agree) => {
    const inScript = webFeaturesOf({ web: { browser: { userAgent, ...hints } } })
    const inRequest = webFeaturesOf({ collection: { request: { userAgent, clientHints: hints } } })
    expect(inScript.web_user_agent_hints_agree).toBe(agree)
    expect(inRequest.web_user_agent_hints_agree).toBe(agree)
  })

  test('one hint that disagrees is enough', () => {
    const features = webFeaturesOf({
      web: { browser: { userAgent: WINDOWS, brands: chromium('141') } },
      collection: { request: { userAgent: WINDOWS, clientHints: { platform: 'Linux' } } },
    })
    expect(features.web_user_agent_hints_agree).toBe(false)
  })

  test.each<[browser: object, agree: boolean | undefined]>([
    [{ userAgent: IPHONE, touchPoints: 5 }, true],
    [{ userAgent: IPHONE, touchPoints: 0 }, false],
    [{ userAgent: WINDOWS, touchPoints: 0 }, true],
    [{ userAgent: WINDOWS, touchPoints: 10 }, true],
    [{ userAgent: WINDOWS, mobile: true, touchPoints: 0 }, false],
    [{ userAgent: IPHONE }, undefined],
    [{ touchPoints: 5 }, undefined],
  ])('touch points of %j agree with mobile: %s', (browser, agree) => {
    const features = webFeaturesOf({ web: { browser } })
    expect(features.web_touch_mobile_agree).toBe(agree)
  })
})

describe('languages, time zone and screen', () => {
  test.each<[script: string[], request: string[], agree: boolean | undefined]>([
    [['en-PH', 'fil'], ['en-PH', 'en', 'fil'], true],
    [['en-GB'], ['en-gb', 'en'], true],
    [['en-US', 'id'], ['id-ID', 'en'], false],
    [['en'], [], undefined],
    [[], ['en'], undefined],
  ])('languages %j and Accept-Language %j agree: %s', (languages, requested, agree) => {
    const features = webFeaturesOf({
      web: { browser: { languages } },
      collection: { request: { languages: requested } },
    })
    expect(features.web_languages_header_agree).toBe(agree)
  })

  test.each<[languages: string[], timeZone: string, agree: boolean | undefined, utc: boolean | undefined]>([
    [['fil-PH', 'en-US'], 'Asia/Manila', true, false],
    [['en-US', 'en-PH'], 'Asia/Manila', true, false],
    [['en-US', 'en'], 'Asia/Manila', false, false],
    [['hi_IN'], 'Asia/Calcutta', true, false],
    [['en', 'tl'], 'Asia/Manila', undefined, false],
    [['en-PH'], 'Asia/Nowhere', undefined, undefined],
    [['en-US'], 'UTC', false, true],
    [['en-US'], 'Etc/UTC', false, true],
  ])('languages %j and zone %s agree: %s; UTC: %s', (languages, timeZone, agree, utc) => {
    const features = webFeaturesOf({ device: { timeZone }, web: { browser: { languages } } })
    expect(features.web_languages_zone_agree).toBe(agree)
    expect(features.web_zone_utc).toBe(utc)
  })

  const screen = (widthPx: number, heightPx: number, density?: number) => ({ widthPx, heightPx, density })
  test.each([
    [screen(1_920, 1_080), screen(1_920, 969), true],
    [screen(3_024, 1_964, 2), screen(1_512, 823), true],
    [screen(1_080, 2_400, 2.625), screen(412, 785), true],
    [screen(1_080, 2_400, 2.625), screen(785, 412), true],
    [screen(800, 600), screen(1_280, 720), false],
    [screen(800, 600), screen(800, 720), false],
    [screen(0, 0), screen(800, 600), undefined],
    [undefined, screen(800, 600), undefined],
  ])('screen %j and viewport %j fit: %s', (display, viewport, fits) => {
    const features = webFeaturesOf({ web: { screen: display, viewport } })
    expect(features.web_viewport_fits_screen).toBe(fits)
  })
})

test('the collection, its consent and the page are described', () => {
  expect(
    webFeaturesOf({
      consent: { basis: ' Consent', at: '2026-11-20T08:00:00Z' },
      collection: { level: 'claimed', segments: 7, missing: 2, ended: 'abandoned' },
      web: {
        browser: { embedded: true, touchPoints: 5 },
        network: { effectiveType: '3g' },
        page: {
          views: [
            { path: '/apply', t: 0 },
            { path: '/apply/2', t: 9 },
          ],
        },
      },
    }),
  ).toMatchObject({
    web_collection_level: 'claimed',
    web_collection_complete: false,
    web_segments_missing_count: 2,
    web_consent_given: true,
    web_embedded: true,
    web_touch_points: 5,
    web_network_type: '3g',
    web_page_views_count: 2,
  })
})

test.each<[consent: object | null, given: boolean | undefined]>([
  [null, undefined],
  [{ policy: '2026-09' }, undefined],
  [{ at: '2026-11-20T08:00:00Z' }, true],
  [{ basis: 'legitimate_interest', at: '2026-11-20T08:00:00Z' }, false],
])('consent of %j: %s', (consent, given) => {
  expect(webFeaturesOf({ consent }).web_consent_given).toBe(given)
})
