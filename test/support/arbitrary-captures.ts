import fc from 'fast-check'
import { CAPTURE_FORMAT, PLATFORMS } from '../../db/capture/capture.ts'
import { CAPTURE_BOUNDS } from '../../db/capture/scalars.ts'

/** Text that is often mishandled: control codes, lone surrogates, names of built-in members. */
export const AWKWARD_TEXTS = [
  '',
  '\0',
  'a\0b',
  '\u001b[31mred\u001b[0m',
  '\ud800',
  'x\udc00',
  '\udbff\ud800',
  '😀 𝒳',
  '"\\"',
  '\\',
  '\\u0000',
  '{"a":1}',
  '\u2028\u2029',
  '\ufeff',
  '\u202eright to left',
  "'; drop table datasets; --",
  '$1 ?',
  'constructor',
  'toString',
  'hasOwnProperty',
] as const

const text = fc.oneof(fc.constantFrom(...AWKWARD_TEXTS), fc.string({ unit: 'binary', maxLength: 30 }))
const someText = text.map((value) => value || 'x')
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const record = <T extends object>(
  members: { [K in keyof T]: fc.Arbitrary<T[K]> },
  ...required: (keyof T)[]
) => maybe(fc.record(members, { requiredKeys: required }))
const list = <T>(item: fc.Arbitrary<T>) => maybe(fc.array(item, { maxLength: 8 }))

/**
 * A name that no decoder rejects, as it rejects names that could access object internals. It has no backslash: after one,
 * V8 14's JSON.parse may misread other names that contain an escape.
 *
 * @see https://github.com/nodejs/node/issues/63785
 */
const accountKind = text.filter((name) => name !== '__proto__' && !name.includes('\\'))

const flag = maybe(fc.boolean())
const count = fc.oneof(fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER), fc.nat())
const numberUpTo = (max: number, min = 0) =>
  fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }))
const amount = numberUpTo(Number.MAX_SAFE_INTEGER)
const coordinate = numberUpTo(1e9, -1e9)
const instant = fc.oneof(
  fc.constantFrom('0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999+14:00', '2024-02-29T23:59:59-00:01'),
  fc
    .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
)
const span = { firstAt: maybe(instant), lastAt: maybe(instant) }
const sizeOfScreen = {
  widthPx: count,
  heightPx: count,
  density: maybe(numberUpTo(100)),
  orientation: maybe(numberUpTo(360, -360)),
}
const screen = record(sizeOfScreen, 'widthPx', 'heightPx')
const brands = list(fc.record({ brand: text, version: maybe(text) }, { requiredKeys: ['brand'] }))
const event = fc.record(
  {
    t: amount,
    type: fc.oneof(
      fc.constantFrom('focus', 'key', 'input', 'change', 'touch', 'pointer', 'sensor'),
      someText,
    ),
    target: maybe(text),
    kind: maybe(text),
    dwellMs: maybe(amount),
    flightMs: maybe(coordinate),
    length: maybe(count),
    pasted: flag,
    phase: maybe(text),
    finger: maybe(fc.nat(100)),
    x: maybe(coordinate),
    y: maybe(coordinate),
    pressure: maybe(numberUpTo(1_000)),
    sizePx: maybe(coordinate),
    sensor: maybe(text),
    mean: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
    sd: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
    trusted: flag,
    auto: flag,
    pointer: maybe(text),
    button: maybe(fc.nat(100)),
    dx: maybe(coordinate),
    dy: maybe(coordinate),
  },
  { requiredKeys: ['t', 'type'] },
)
const mediaKind = record({ count, ...span }, 'count')

/** Valid captures with any of the sections and members, with ordinary and extreme values. */
export const arbitraryCapture: fc.Arbitrary<object> = fc.record(
  {
    format: fc.constant(CAPTURE_FORMAT),
    platform: fc.constantFrom(...PLATFORMS),
    collectedAt: instant,
    sdk: record({ version: maybe(text), modules: list(text) }),
    device: record({
      id: maybe(fc.oneof(text, fc.constant('x'.repeat(CAPTURE_BOUNDS.text)))),
      brand: maybe(text),
      model: maybe(text),
      osVersion: maybe(text),
      apiLevel: maybe(fc.nat(10_000)),
      screen,
      ramTotalBytes: maybe(amount),
      ramFreeBytes: maybe(amount),
      storageTotalBytes: maybe(amount),
      storageFreeBytes: maybe(amount),
      battery: record({ level: maybe(numberUpTo(1)), charging: flag }),
      locale: maybe(text),
      timeZone: maybe(text),
      bootedAt: maybe(instant),
      emulator: flag,
      rooted: flag,
      developerMode: flag,
      network: record({ kind: maybe(text), vpn: flag, simCount: maybe(fc.nat(16)) }),
    }),
    permissions: list(
      fc.record(
        { name: someText, declared: flag, granted: fc.boolean() },
        { requiredKeys: ['name', 'granted'] },
      ),
    ),
    apps: list(
      fc.record(
        {
          package: someText,
          category: maybe(text),
          system: flag,
          installedAt: maybe(instant),
          updatedAt: maybe(instant),
        },
        { requiredKeys: ['package'] },
      ),
    ),
    accounts: record({ count, byType: maybe(fc.dictionary(accountKind, count, { maxKeys: 5 })) }, 'count'),
    contacts: record(
      { count, withPhone: maybe(count), withEmail: maybe(count), groups: maybe(count) },
      'count',
    ),
    calendar: record({ events: count, reminders: maybe(count), ...span }, 'events'),
    media: record({ images: mediaKind, video: mediaKind, audio: mediaKind }),
    sms: record({ received: count, sent: count, ...span }, 'received', 'sent'),
    behaviour: record(
      {
        startedAt: instant,
        durationMs: amount,
        activeMs: maybe(amount),
        resolutionMs: maybe(amount),
        dropped: maybe(count),
        events: fc.array(event, { maxLength: 10 }),
      },
      'startedAt',
      'durationMs',
      'events',
    ),
    web: record({
      browser: record({
        name: maybe(text),
        version: maybe(text),
        userAgent: maybe(text),
        languages: list(text),
        cookiesEnabled: flag,
        hardwareConcurrency: maybe(count),
        deviceMemoryGb: maybe(numberUpTo(1e9)),
        webdriver: flag,
        brands,
        mobile: flag,
        platform: maybe(text),
        vendor: maybe(text),
        touchPoints: maybe(count),
        pdfViewer: flag,
        gpc: flag,
        storage: record({ local: flag, session: flag, indexedDb: flag }),
        automation: list(text),
        embedded: flag,
      }),
      screen: record(
        {
          ...sizeOfScreen,
          availWidthPx: maybe(count),
          availHeightPx: maybe(count),
          colorDepth: maybe(fc.nat(1_000)),
        },
        'widthPx',
        'heightPx',
      ),
      viewport: record({ widthPx: count, heightPx: count }, 'widthPx', 'heightPx'),
      preferences: record({
        colorScheme: maybe(text),
        reducedMotion: flag,
        contrast: maybe(text),
        forcedColors: flag,
        reducedData: flag,
      }),
      network: record({
        effectiveType: maybe(text),
        rttMs: maybe(amount),
        downlinkMbps: maybe(numberUpTo(1e6)),
        saveData: flag,
      }),
      graphics: record({
        canvasHash: maybe(text),
        webglHash: maybe(text),
        webglVendor: maybe(text),
        webglRenderer: maybe(text),
        audioHash: maybe(text),
        fontsHash: maybe(text),
      }),
      page: record({
        origin: maybe(text),
        path: maybe(text),
        referrerOrigin: maybe(text),
        navigationType: maybe(text),
        fields: list(
          fc.record(
            {
              name: text,
              kind: maybe(text),
              autocomplete: maybe(text),
              required: flag,
              index: maybe(count),
            },
            { requiredKeys: ['name'] },
          ),
        ),
        views: list(fc.record({ path: text, t: amount })),
      }),
    }),
    consent: record({ basis: maybe(text), at: maybe(instant), policy: maybe(text) }),
    collection: record({
      level: maybe(text),
      origin: maybe(text),
      segments: maybe(count),
      missing: maybe(count),
      ended: maybe(text),
      request: record({
        userAgent: maybe(text),
        languages: list(text),
        clientHints: record({
          brands,
          mobile: flag,
          platform: maybe(text),
          platformVersion: maybe(text),
          model: maybe(text),
        }),
      }),
    }),
  },
  { requiredKeys: ['format', 'platform', 'collectedAt'] },
)
