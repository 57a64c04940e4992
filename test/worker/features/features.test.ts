import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FEATURES, type Features, isFeatureName } from '../../../db/capture/features.ts'
import type { Velocity } from '../../../db/capture/velocity-counts.ts'
import { EXTRACTORS, extractFeatures } from '../../../worker/features/extract-features.ts'
import type { FeatureInput } from '../../../worker/features/extractor.ts'
import { anInput, COLLECTED_AT, featuresOf } from '../../support/feature-input.ts'

const velocity: Velocity = {
  device: { datasets: 9, windows: { '10m': 1, '1h': 2, '24h': 3, '7d': 4, '30d': 5 }, clients: 2 },
  client: { id: 'c1', datasets: 7, devices: 3, windows: { '10m': 1, '1h': 1, '24h': 2, '7d': 2, '30d': 6 } },
}

const featuresOfEvents = (events: object[], rest: object = {}, durationMs = 60_000): Features =>
  featuresOf({ ...rest, behaviour: { startedAt: '2026-11-20T08:09:02.000Z', durationMs, events } })

const device = {
  id: 'd1',
  brand: ' Samsung',
  osVersion: '14',
  screen: { widthPx: 1_000, heightPx: 2_000 },
  ramTotalBytes: 8e9,
  ramFreeBytes: 2e9,
  storageTotalBytes: 128e9,
  storageFreeBytes: 32e9,
  battery: { level: 0.5, charging: false },
  locale: 'en-PH',
  timeZone: 'Asia/Manila',
  bootedAt: '2026-11-20T05:15:30.000Z',
  emulator: false,
  rooted: false,
  developerMode: true,
  network: { kind: 'WiFi', vpn: false, simCount: 2 },
}

describe('the registry', () => {
  test('every registered feature is computed by exactly one extractor, and nothing else is', () => {
    const computed = EXTRACTORS.flatMap((extract) =>
      Object.keys(extract({ ...anInput(), events: undefined })),
    )
    expect(computed.toSorted()).toEqual(Object.keys(FEATURES).toSorted())
  })

  test('a complete capture yields every feature of its platform, and none of another', () => {
    for (const platform of ['android', 'ios', 'web'] as const) {
      const definitions = Object.entries(FEATURES)
      const wanted = definitions.filter(([, { platforms }]) => platforms.some((one) => one === platform))
      const features = extractFeatures(aFullInput(platform))
      expect(Object.keys(features).toSorted()).toEqual(wanted.map(([name]) => name).toSorted())
    }
  })

  test('a capture without sections yields only features that need none', () => {
    expect(featuresOf({})).toEqual({
      time_upload_delay_s: 12.5,
      ip_known: false,
      info_keys_count: 0,
      info_client_known: false,
    })
  })

  test('empty sections count 0 and have no shares', () => {
    const features = featuresOf({
      permissions: [],
      apps: [],
      accounts: { count: 0, byType: {} },
      contacts: { count: 0, withEmail: 0 },
      sms: { received: 0, sent: 0 },
      behaviour: { startedAt: COLLECTED_AT, durationMs: 0, events: [] },
    })
    expect(features).toMatchObject({
      permissions_granted_count: 0,
      apps_count: 0,
      apps_finance_count: 0,
      apps_categories_count: 0,
      apps_installed_30d_count: 0,
      accounts_types_count: 0,
      contacts_count: 0,
      sms_received_count: 0,
      behaviour_keys_count: 0,
      behaviour_fields_count: 0,
      behaviour_pastes_count: 0,
      behaviour_hidden_count: 0,
      behaviour_duration_s: 0,
    })
    expect(Object.keys(features).filter((name) => name.endsWith('_share'))).toEqual([])
  })
})

describe('the device', () => {
  test('its values are converted to the units of the catalogue', () => {
    expect(featuresOf({ device })).toMatchObject({
      device_brand: 'samsung',
      device_os_major: 14,
      device_os_age_years: expect.closeTo(3.13, 2),
      device_ram_total_gb: 8,
      device_ram_free_share: 0.25,
      device_storage_total_gb: 128,
      device_storage_free_share: 0.25,
      device_screen_megapixels: 2,
      device_battery_level: 0.5,
      device_charging: false,
      device_uptime_hours: 3,
      device_developer_mode: true,
      device_network_kind: 'wifi',
      device_sim_count: 2,
      device_language: 'en',
      device_locale_zone_agree: true,
      time_hour_local: 16,
      time_weekend: false,
    })
  })

  test('implausible values count as missing', () => {
    const features = featuresOf({
      device: {
        ramTotalBytes: 1e9,
        ramFreeBytes: 2e9,
        storageTotalBytes: 0,
        storageFreeBytes: 0,
        screen: { widthPx: 0, heightPx: 2_000 },
        bootedAt: '2026-11-21T00:00:00.000Z',
        osVersion: 'Tiramisu',
      },
    })
    expect(Object.keys(features).filter((name) => name.startsWith('device_'))).toEqual([
      'device_ram_total_gb',
    ])
  })

  test.each([
    ['android', '14', 14, 3.13],
    ['android', 'Android 8.1.0', 8, 9.25],
    ['ios', '18.1', 18, 2.18],
    ['ios', '26.0', 26, 1.18],
    ['ios', '22.0', 22, undefined],
    ['web', '10.0.19045', 10, undefined],
    ['android', '99999', undefined, undefined],
  ])('%s %s has major version %s, released %s years ago', (platform, osVersion, major, years) => {
    const features = featuresOf({ platform, device: { osVersion } })
    expect(features.device_os_major).toBe(major)
    expect(features.device_os_age_years).toEqual(years && expect.closeTo(years, 2))
  })

  test('an OS version has no age before its release', () => {
    const features = featuresOf({ collectedAt: '2023-09-01T00:00:00Z', device: { osVersion: '14' } })
    expect(features.device_os_age_years).toBeUndefined()
  })

  test.each([
    ['en-IN', 'Asia/Kolkata', true],
    ['hi_IN', 'Asia/Calcutta', true],
    ['uk-UA', 'Europe/Kyiv', true],
    ['in-ID', 'asia/jakarta', true],
    ['zh-Hans-CN', 'Asia/Shanghai', true],
    ['es-AR', 'America/Argentina/Buenos_Aires', true],
    ['en-GB', 'Asia/Singapore', false],
    ['en-PH', 'UTC', false],
    ['en', 'Asia/Manila', undefined],
    ['en-PH', 'Asia/Nowhere', undefined],
    ['en-PH', '+08:00', undefined],
    ['en-ZZ', 'Asia/Manila', undefined],
    ['not a tag', 'Asia/Manila', undefined],
  ])('locale %s and zone %s match: %s', (locale, timeZone, agree) => {
    expect(featuresOf({ device: { locale, timeZone } }).device_locale_zone_agree).toBe(agree)
  })

  test('the language is a current code', () => {
    expect(featuresOf({ device: { locale: 'in_ID' } }).device_language).toBe('id')
    expect(featuresOf({ device: { locale: 'und-ID' } }).device_language).toBeUndefined()
  })

  test("hour and weekend follow the device's time zone, not the timestamp's offset", () => {
    const onFriday = { collectedAt: '2026-11-20T16:30:00+00:00' }
    expect(featuresOf({ ...onFriday, device: { timeZone: 'Asia/Manila' } })).toMatchObject({
      time_hour_local: 0,
      time_weekend: true,
    })
    expect(featuresOf({ ...onFriday, device: { timeZone: 'Asia/Nowhere' } })).not.toHaveProperty(
      'time_hour_local',
    )
  })

  test('a clock that was never set gives no times', () => {
    const features = featuresOf({
      collectedAt: '1970-01-01T00:00:09Z',
      device: { ...device, bootedAt: '1970-01-01T00:00:00Z' },
    })
    for (const name of [
      'time_hour_local',
      'time_upload_delay_s',
      'device_uptime_hours',
      'device_os_age_years',
    ])
      expect(features).not.toHaveProperty(name)
  })
})

describe('data on the device', () => {
  test('system applications are excluded', () => {
    const features = featuresOf({
      apps: [
        { package: 'android', system: true, category: 'finance', installedAt: '2009-01-01T00:00:00Z' },
        {
          package: 'com.bank',
          category: 'FINANCE',
          installedAt: '2026-10-31T08:15:30Z',
          updatedAt: '2026-11-19T00:00:00Z',
        },
        {
          package: 'com.whatsapp',
          category: 'communication',
          installedAt: '2025-11-20T08:15:30Z',
          updatedAt: '2026-01-01T00:00:00Z',
        },
        { package: 'com.lucky.casino', category: 'game_casino', installedAt: '2027-01-01T00:00:00Z' },
        { package: 'com.alphabet.docs', category: 'productivity' },
      ],
    })
    expect(features).toMatchObject({
      apps_count: 4,
      apps_finance_count: 1,
      apps_finance_share: 0.25,
      apps_gambling_count: 1,
      apps_social_count: 1,
      apps_productivity_count: 1,
      apps_games_count: 1,
      apps_categories_count: 4,
      apps_oldest_days: 365,
      apps_installed_30d_count: 1,
      apps_updated_30d_share: 0.5,
    })
  })

  test('applications without timestamps have no ages', () => {
    const features = featuresOf({ apps: [{ package: 'a' }] })
    expect(features.apps_count).toBe(1)
    for (const name of ['apps_oldest_days', 'apps_installed_30d_count', 'apps_updated_30d_share'])
      expect(features).not.toHaveProperty(name)
  })

  test('accounts, contacts, calendar, media and messages are counted', () => {
    const features = featuresOf({
      accounts: { count: 3, byType: { 'com.google': 2, 'com.facebook': 1, 'com.none': 0 } },
      contacts: { count: 300, withEmail: 30 },
      calendar: { events: 57 },
      media: {
        images: { count: 10, firstAt: '2026-11-01T00:00:00Z', lastAt: '2026-11-11T00:00:00Z' },
        video: { count: 4 },
      },
      sms: { received: 90, sent: 10, firstAt: '2026-11-20T00:00:00Z', lastAt: '2026-11-01T00:00:00Z' },
    })
    expect(features).toMatchObject({
      accounts_count: 3,
      accounts_types_count: 2,
      contacts_count: 300,
      contacts_email_share: 0.1,
      calendar_events_count: 57,
      media_images_count: 10,
      media_images_span_days: 10,
      media_video_count: 4,
      sms_received_count: 90,
      sms_sent_share: 0.1,
    })
    expect(features).not.toHaveProperty('sms_span_days') // the last comes before the first
  })

  test('undeclared permissions are excluded from the share', () => {
    const permissions = [
      { name: 'a', declared: true, granted: true },
      { name: 'b', granted: false },
      { name: 'c', declared: false, granted: false },
    ]
    expect(featuresOf({ permissions })).toMatchObject({
      permissions_granted_share: 0.5,
      permissions_granted_count: 1,
    })
  })
})

describe('behaviour', () => {
  const keys = (flights: readonly number[]) =>
    flights.map((flightMs, n) => ({
      t: n * 200,
      type: 'key',
      target: 'name',
      kind: 'letter',
      dwellMs: 80 + n,
      flightMs,
    }))

  test('typing has medians and quartiles of its keys; long flights are pauses', () => {
    const features = featuresOfEvents(keys([100, 110, 120, 130, 140, 150, 160, 170, 180, 9_000, 200]))
    expect(features).toMatchObject({
      behaviour_keys_count: 11,
      behaviour_key_dwell_ms: 85,
      behaviour_key_flight_ms: 145,
      behaviour_key_flight_variation: (167.5 - 122.5) / 145,
      behaviour_correction_share: 0,
    })
  })

  test('four keys have no rhythm, five have a median, nine have no variation', () => {
    expect(featuresOfEvents(keys([1, 2, 3, 4]))).not.toHaveProperty('behaviour_key_flight_ms')
    expect(featuresOfEvents(keys([1, 2, 3, 4, 5])).behaviour_key_flight_ms).toBe(3)
    expect(featuresOfEvents(keys(Array(9).fill(50)))).not.toHaveProperty('behaviour_key_flight_variation')
    expect(featuresOfEvents(keys(Array(10).fill(50))).behaviour_key_flight_variation).toBe(0)
  })

  test('keys that overlap more often than not have a median and no variation', () => {
    const features = featuresOfEvents(keys(Array(12).fill(-20)))
    expect(features.behaviour_key_flight_ms).toBe(-20)
    expect(features).not.toHaveProperty('behaviour_key_flight_variation')
  })

  test('pauses are measured between actions, in order of time, ignoring sensors', () => {
    const features = featuresOfEvents(
      [
        { t: 16_000, type: 'key' },
        { t: 5_000, type: 'focus' },
        { t: 6_000, type: 'key' },
        { t: 10_000, type: 'sensor' },
        { t: 12_000, type: 'from-the-future' },
        { t: 18_000, type: 'key' },
      ],
      {},
      40_000,
    )
    expect(features.behaviour_longest_pause_s).toBe(10)
    expect(features.behaviour_hesitation_share).toBe(0.25)
  })

  test('pauses longer than the session give no share', () => {
    const events = [
      { t: 0, type: 'key' },
      { t: 90_000, type: 'key' },
    ]
    const features = featuresOfEvents(events, {}, 10_000)
    expect(features.behaviour_longest_pause_s).toBe(90)
    expect(features).not.toHaveProperty('behaviour_hesitation_share')
  })

  test('a field is counted once, a return to it is a refocus, a paste seen twice is one', () => {
    const features = featuresOfEvents([
      { t: 1, type: 'focus', target: 'name' },
      { t: 2, type: 'key', target: 'name', kind: 'backspace' },
      { t: 3, type: 'focus', target: 'amount' },
      { t: 4, type: 'paste', target: 'amount' },
      { t: 4, type: 'input', target: 'amount', pasted: true },
      { t: 5, type: 'focus', target: 'name' },
      { t: 6, type: 'focus', target: 'phone' },
      { t: 7, type: 'visibility', phase: 'hidden' },
      { t: 8, type: 'visibility', phase: 'visible' },
    ])
    expect(features).toMatchObject({
      behaviour_fields_count: 3,
      behaviour_refocus_share: 0.25,
      behaviour_pastes_count: 1,
      behaviour_hidden_count: 1,
    })
  })

  test('swipes of two fingers at once have their own speeds; taps have none', () => {
    const swipe = (t: number, finger: number, px: number) => [
      { t, type: 'touch', phase: 'start', finger, x: 0, y: 0, pressure: 0.4, sizePx: 30 },
      { t: t + 100, type: 'touch', phase: 'end', finger, x: px, y: 0, pressure: 0 },
    ]
    const features = featuresOfEvents([
      ...swipe(0, 0, 100),
      ...swipe(50, 1, 200),
      ...swipe(500, 0, 300),
      ...swipe(900, 0, 3),
      ...swipe(1_200, 0, 3),
    ])
    expect(features).toMatchObject({
      behaviour_touch_speed_px_s: 2_000,
      behaviour_touch_pressure: 0.4,
      behaviour_touch_size_px: 30,
    })
  })

  test('the pointer has a speed while it moves, and a straightness per path to a click', () => {
    const ways = [0, 1, 2, 3].flatMap((n) => {
      const [t, x, y] = [n * 10_000, n * 80, n * 60]
      return [
        { t, type: 'pointer', phase: 'move', x, y },
        { t: t + 100, type: 'pointer', phase: 'move', x, y: y + 30 },
        { t: t + 200, type: 'pointer', phase: 'move', x, y: y + 60 },
        { t: t + 300, type: 'pointer', phase: 'move', x: x + 40, y: y + 60 },
        { t: t + 400, type: 'pointer', phase: 'move', x: x + 80, y: y + 60 },
        { t: t + 500, type: 'pointer', phase: 'down', x: x + 80, y: y + 60 },
        { t: t + 600, type: 'pointer', phase: 'up', x: x + 80, y: y + 60 },
      ]
    })
    const features = featuresOfEvents(ways, { platform: 'web' })
    expect(features.behaviour_pointer_speed_px_s).toBe(350) // the way between two clicks starts with a rest
    expect(features.behaviour_pointer_straightness).toBeCloseTo(100 / 140)
  })

  test('events are read in order of time, and the capture is not changed', () => {
    const input = anInput({
      behaviour: {
        startedAt: COLLECTED_AT,
        durationMs: 9,
        events: [
          { t: 9, type: 'key' },
          { t: 1, type: 'key' },
        ],
      },
    })
    expect(extractFeatures(input).behaviour_longest_pause_s).toBe(0.008)
    expect(input.capture.behaviour?.events.map(({ t }) => t)).toEqual([9, 1])
  })
})

describe('data besides the capture', () => {
  test.each([
    ['203.0.113.9', 4, false],
    ['10.1.2.3', 4, true],
    ['172.32.0.1', 4, false],
    ['100.64.0.1', 4, true],
    ['127.0.0.1', 4, true],
    ['169.254.1.1', 4, true],
    ['2001:db8::1', 6, false],
    ['fd00::1', 6, true],
    ['fe80::1%eth0', 6, true],
    ['::1', 6, true],
    ['::ffff:192.168.1.1', 4, true],
    ['::ffff:8.8.8.8', 4, false],
  ])('%s has version %s, private: %s', (realIp, version, isPrivate) => {
    expect(featuresOf({}, { realIp })).toMatchObject({
      ip_known: true,
      ip_version: version,
      ip_private: isPrivate,
    })
  })

  test.each(['', 'unknown', '1.2.3', '1.2.3.4:80'])('%j is not an address', (realIp) => {
    const features = featuresOf({}, { realIp })
    expect(features.ip_known).toBe(false)
    expect(features).not.toHaveProperty('ip_version')
    expect(features).not.toHaveProperty('ip_private')
  })

  test('velocity is passed on; without device id or client it is missing', () => {
    expect(featuresOf({}, { velocity })).toMatchObject({
      velocity_device_datasets: 9,
      velocity_device_7d: 4,
      velocity_device_clients: 2,
      velocity_client_devices: 3,
      velocity_client_30d: 6,
    })
    const nobody = featuresOf({}, { velocity: { device: null, client: null } })
    expect(Object.keys(nobody).filter((name) => name.startsWith('velocity_'))).toEqual([])
  })

  test('a client is known when Additional Info names one', () => {
    expect(featuresOf({}, { additionalInfo: { clientId: 'c1', email: 'h' } })).toMatchObject({
      info_keys_count: 2,
      info_client_known: true,
    })
    expect(featuresOf({}, { additionalInfo: { clientId: '' } }).info_client_known).toBe(false)
  })

  test('a device whose clock is ahead has a negative delay', () => {
    const features = featuresOf({}, { uploadedAt: new Date('2026-11-20T08:15:00.000Z') })
    expect(features.time_upload_delay_s).toBe(-30)
  })
})

describe('any valid capture', () => {
  test('gives finite numbers, shares from 0 to 1, registered types, and the same result each time', () => {
    fc.assert(
      fc.property(arbitraryInput(), (input) => {
        const features = extractFeatures(input)
        for (const [name, value] of Object.entries(features)) {
          if (!isFeatureName(name)) throw new Error(`${name} is not registered`)
          const { type, ...definition } = FEATURES[name]
          expect(typeof value, name).toBe(type === 'category' ? 'string' : type)
          if (typeof value !== 'number') continue
          expect(value, name).toSatisfy(Number.isFinite)
          if ('unit' in definition && definition.unit === 'share') {
            expect(value, name).toBeGreaterThanOrEqual(0)
            expect(value, name).toBeLessThanOrEqual(1)
          }
          if (name === 'behaviour_pointer_straightness') expect(value).toBeLessThanOrEqual(1)
        }
        expect(extractFeatures(input)).toEqual(features)
      }),
      { numRuns: 300 },
    )
  })
})

/** A capture with all data that the catalogue reads. */
function aFullInput(platform: 'android' | 'ios' | 'web'): FeatureInput {
  const at = { firstAt: '2026-01-01T00:00:00Z', lastAt: '2026-11-01T00:00:00Z' }
  const events = Array.from({ length: 40 }, (_, n) => [
    { t: n * 1_000, type: 'focus', target: `f${n % 3}` },
    { t: n * 1_000 + 50, type: 'input', target: `f${n % 3}`, pasted: false },
    { t: n * 1_000 + 100, type: 'key', kind: 'letter', target: `f${n % 3}`, dwellMs: 80, flightMs: 100 + n },
    { t: n * 1_000 + 200, type: 'touch', phase: 'start', x: 0, y: 0, pressure: 0.5, sizePx: 20 },
    { t: n * 1_000 + 300, type: 'touch', phase: 'end', x: 0, y: 200 },
    { t: n * 1_000 + 400, type: 'pointer', phase: 'move', x: n, y: 0 },
    { t: n * 1_000 + 500, type: 'pointer', phase: 'move', x: n, y: 90 },
    { t: n * 1_000 + 600, type: 'pointer', phase: 'down', x: n, y: 90 },
  ]).flat()
  return anInput(
    {
      platform,
      device: { ...device, osVersion: platform === 'ios' ? '18.1' : '14' },
      permissions: [{ name: 'p', granted: true }],
      apps: [{ package: 'a', installedAt: '2026-01-01T00:00:00Z', updatedAt: '2026-11-01T00:00:00Z' }],
      accounts: { count: 1, byType: { a: 1 } },
      contacts: { count: 1, withEmail: 1 },
      calendar: { events: 1 },
      media: { images: { count: 2, ...at }, video: { count: 1 } },
      sms: { received: 1, sent: 1, ...at },
      behaviour: {
        startedAt: '2026-11-20T08:09:02.000Z',
        durationMs: 60_000,
        activeMs: 50_000,
        events,
      },
      web: {
        browser: {
          name: 'Chrome',
          version: '141.0',
          userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36',
          languages: ['en-PH'],
          hardwareConcurrency: 8,
          webdriver: false,
          platform: 'Linux',
          touchPoints: 0,
          automation: [],
          embedded: false,
        },
        screen: { widthPx: 1_920, heightPx: 1_080 },
        viewport: { widthPx: 1_920, heightPx: 900 },
        network: { effectiveType: '4g' },
        graphics: { webglRenderer: 'ANGLE (Intel)' },
        page: { fields: [{ name: 'f0' }], views: [{ path: '/', t: 0 }] },
      },
      consent: { basis: 'consent' },
      collection: {
        level: 'open',
        missing: 0,
        ended: 'complete',
        request: { userAgent: 'Mozilla/5.0', languages: ['en-PH'] },
      },
    },
    { realIp: '203.0.113.9', velocity },
  )
}

/** Valid captures with any sections, and with ordinary and extreme values. */
function arbitraryInput(): fc.Arbitrary<FeatureInput> {
  const some = <T>(...values: T[]) => fc.constantFrom(...values)
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
  const section = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    maybe(fc.record(model, { requiredKeys: [] }))

  const count = fc.oneof(some(0, 1, Number.MAX_SAFE_INTEGER), fc.nat(1_000))
  const amount = fc.oneof(
    some(0, Number.MIN_VALUE, Number.MAX_SAFE_INTEGER),
    fc.double({ min: 0, max: 1e12, noNaN: true }),
  )
  const coordinate = fc.oneof(some(-1e9, 0, 5e-324, 1e9), fc.double({ min: -2_000, max: 2_000, noNaN: true }))
  const instant = fc.oneof(
    some(
      '0000-01-01T00:00:00Z',
      '1970-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999999Z',
      '2026-02-28T23:59:59+14:00',
    ),
    fc
      .date({ min: new Date('2024-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  )
  const word = fc.oneof(some('', ' ', 'finance', 'GAME_casino', '__proto__', '\u0000'), fc.string())
  const span = { firstAt: maybe(instant), lastAt: maybe(instant) }
  const screen = maybe(fc.record({ widthPx: count, heightPx: count }))
  const userAgent = fc.oneof(some('Chrome/141.0', 'Android; wv) Chrome/99', 'iPhone AppleWebKit/605'), word)
  const languages = fc.array(fc.oneof(some('en-PH', 'fil', '*'), word))
  const brands = fc.array(fc.record({ brand: fc.oneof(some('Chromium'), word), version: maybe(word) }))
  const platform = fc.oneof(some('Win32', 'Linux', 'Linux armv81', 'Android'), word)

  const event = fc.record(
    {
      t: fc.oneof(amount, fc.nat(100_000)),
      type: some(
        'focus',
        'blur',
        'key',
        'input',
        'paste',
        'touch',
        'pointer',
        'scroll',
        'sensor',
        'visibility',
        'change',
        'drop',
        'submit',
        'invalid',
        'wheel',
        'other',
      ),
      target: maybe(some('a', 'b', '__proto__')),
      kind: maybe(some('letter', 'backspace', 'delete')),
      dwellMs: maybe(amount),
      flightMs: maybe(coordinate),
      pasted: maybe(fc.boolean()),
      phase: maybe(some('start', 'move', 'end', 'cancel', 'down', 'up', 'hidden')),
      finger: maybe(some(0, 1, 100)),
      x: maybe(coordinate),
      y: maybe(coordinate),
      pressure: maybe(fc.double({ min: 0, max: 1_000, noNaN: true })),
      sizePx: maybe(coordinate),
      trusted: maybe(fc.boolean()),
      auto: maybe(fc.boolean()),
    },
    { requiredKeys: ['t', 'type'] },
  )
  const capture = fc.record(
    {
      platform: some('android', 'ios', 'web'),
      collectedAt: instant,
      device: section({
        brand: word,
        osVersion: fc.oneof(some('14', '18.1', '10.0.19045', '9'.repeat(1_000)), word),
        screen,
        ramTotalBytes: amount,
        ramFreeBytes: amount,
        storageTotalBytes: amount,
        storageFreeBytes: amount,
        battery: section({
          level: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
          charging: maybe(fc.boolean()),
        }),
        locale: fc.oneof(some('en-PH', 'in_ID', 'en-001', 'en-ZZ', 'x-y', 'a'.repeat(1_000)), word),
        timeZone: fc.oneof(some('Asia/Manila', 'UTC', '+08:00', 'EST5EDT'), word),
        bootedAt: instant,
        emulator: maybe(fc.boolean()),
        network: section({ kind: maybe(word), vpn: maybe(fc.boolean()), simCount: maybe(some(0, 16)) }),
      }),
      permissions: maybe(
        fc.array(fc.record({ name: some('p'), declared: maybe(fc.boolean()), granted: fc.boolean() })),
      ),
      apps: maybe(
        fc.array(
          fc.record({
            package: some('a', 'com.casino', '.'),
            category: maybe(word),
            system: maybe(fc.boolean()),
            installedAt: maybe(instant),
            updatedAt: maybe(instant),
          }),
        ),
      ),
      accounts: maybe(
        fc.record({ count, byType: maybe(fc.dictionary(some('a', 'b', 'constructor'), count)) }),
      ),
      contacts: maybe(fc.record({ count, withEmail: maybe(count) })),
      calendar: maybe(fc.record({ events: count, ...span })),
      media: section({
        images: maybe(fc.record({ count, ...span })),
        video: maybe(fc.record({ count, ...span })),
      }),
      sms: maybe(fc.record({ received: count, sent: count, ...span })),
      behaviour: maybe(
        fc.record({
          startedAt: instant,
          durationMs: amount,
          activeMs: maybe(amount),
          events: fc.array(event, { maxLength: 80, size: 'max' }),
        }),
      ),
      web: section({
        browser: section({
          name: maybe(word),
          version: maybe(word),
          userAgent: maybe(userAgent),
          languages: maybe(languages),
          hardwareConcurrency: maybe(count),
          webdriver: maybe(fc.boolean()),
          brands: maybe(brands),
          mobile: maybe(fc.boolean()),
          platform: maybe(platform),
          touchPoints: maybe(count),
          automation: maybe(fc.array(word)),
          embedded: maybe(fc.boolean()),
        }),
        screen,
        viewport: screen,
        network: section({ effectiveType: maybe(word) }),
        graphics: section({ webglRenderer: maybe(word) }),
        page: section({
          fields: maybe(fc.array(fc.record({ name: some('a', 'b'), autocomplete: maybe(word) }))),
          views: maybe(fc.array(fc.record({ path: word, t: amount }))),
        }),
      }),
      consent: section({ basis: maybe(word), at: maybe(instant) }),
      collection: section({
        level: maybe(word),
        missing: maybe(count),
        ended: maybe(word),
        request: section({
          userAgent: maybe(userAgent),
          languages: maybe(languages),
          clientHints: section({
            brands: maybe(brands),
            mobile: maybe(fc.boolean()),
            platform: maybe(platform),
          }),
        }),
      }),
    },
    { requiredKeys: ['platform', 'collectedAt'] },
  )
  return fc
    .record({
      capture,
      realIp: fc.option(fc.oneof(fc.ipV4(), fc.ipV6(), word), { nil: undefined }),
      additionalInfo: fc.dictionary(word, word),
      velocity: some(undefined, velocity, { device: null, client: null }),
    })
    .map(({ capture, ...rest }) => anInput(capture, rest))
}
