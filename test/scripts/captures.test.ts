import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { Capture, PLATFORMS, type Platform } from '../../db/capture/capture.ts'
import type { FeatureName } from '../../db/capture/features.ts'
import { ANDROID_VERSIONS } from '../../scripts/captures/android-versions.ts'
import { COUNTRIES } from '../../scripts/captures/countries.ts'
import { encodeCapture } from '../../scripts/captures/encode-capture.ts'
import {
  type GeneratedUpload,
  type GenerateOptions,
  generateCaptures,
} from '../../scripts/captures/generate-captures.ts'
import type { CaptureSize } from '../../scripts/captures/size.ts'
import { extractFeatures } from '../../worker/features/extract-features.ts'

const generate = (options: Partial<GenerateOptions> = {}): GeneratedUpload[] =>
  Array.from(generateCaptures({ seed: 'captures', count: 200, size: 'small', ...options }))

const only = (platform: Platform) => ({ platforms: { [platform]: 1 } })
const asText = (uploads: GeneratedUpload[]) => JSON.stringify(uploads)

test('the same seed gives the same uploads, byte for byte', () => {
  const options = { count: 60, size: 'mixed' } as const
  expect(asText(generate(options))).toBe(asText(generate(options)))
})

test('a number and its text are the same seed; another seed gives other people, devices and references', () => {
  expect(asText(generate({ seed: 7, count: 20 }))).toBe(asText(generate({ seed: '7', count: 20 })))
  const one = generate({ seed: 7, count: 20 })
  const other = generate({ seed: 8, count: 20 })
  const idsOf = (uploads: GeneratedUpload[]) =>
    uploads.flatMap(({ referenceNumber, capture, additionalInfo }) => [
      referenceNumber,
      capture.device?.id,
      additionalInfo.clientId,
    ])
  expect(idsOf(one).filter((id) => idsOf(other).includes(id))).toEqual([])
})

test('generating does not change Math.random', () => {
  const original = Math.random
  generate({ count: 5, ...only('web') })
  expect(Math.random).toBe(original)
})

test.each(PLATFORMS)('every capture of %s matches the schema without losing members', (platform) => {
  for (const { capture } of generate({ size: 'mixed', count: 30, ...only(platform) })) {
    for (const parsed of [Capture.parse(capture), Capture.parse(JSON.parse(JSON.stringify(capture)))])
      if (!isDeepStrictEqual(parsed, capture)) expect(parsed).toEqual(capture) // which takes 50 times as long
  }
})

test('values are plausible: parts within wholes, times in order', () => {
  const at = new Date('2026-03-02T08:00:00.000Z')
  for (const { capture } of generate({ size: 'typical', count: 100, at })) {
    const collectedAt = Date.parse(capture.collectedAt)
    expect(collectedAt).toBeLessThanOrEqual(at.getTime())
    expect(collectedAt).toBeGreaterThan(at.getTime() - 15 * 86_400_000)

    const { device, behaviour, apps = [], media, calendar, sms, contacts } = capture
    if (capture.platform !== 'web') expect(Date.parse(device?.bootedAt ?? '')).toBeLessThan(collectedAt)
    expect(device?.storageFreeBytes ?? 0).toBeLessThanOrEqual(device?.storageTotalBytes ?? 0)
    expect(device?.ramFreeBytes ?? 0).toBeLessThanOrEqual(device?.ramTotalBytes ?? 0)
    expect(contacts?.withPhone ?? 0).toBeLessThanOrEqual(contacts?.count ?? 0)

    const times = behaviour?.events.map(({ t }) => t) ?? []
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.at(-1)).toBeLessThanOrEqual(behaviour?.durationMs ?? 0)
    expect(Date.parse(behaviour?.startedAt ?? '') + (behaviour?.durationMs ?? 0)).toBe(collectedAt)

    for (const app of apps ?? []) {
      expect(Date.parse(app.installedAt ?? '')).toBeLessThanOrEqual(Date.parse(app.updatedAt ?? ''))
      expect(Date.parse(app.updatedAt ?? '')).toBeLessThan(collectedAt)
    }
    for (const span of [media?.images, media?.video, media?.audio, calendar, sms]) {
      if (span?.firstAt && span.lastAt)
        expect(Date.parse(span.firstAt)).toBeLessThanOrEqual(Date.parse(span.lastAt))
    }
  }
})

const BANDS: readonly { size: CaptureSize; min: number; max: number; count: number }[] = [
  { size: 'small', min: 2_000, max: 4_500, count: 200 },
  { size: 'typical', min: 15_000, max: 25_000, count: 100 },
  { size: 'large', min: 150_000, max: 300_000, count: 40 },
]

test.each(BANDS)(
  '19 in 20 $size captures have $min to $max characters of base64',
  ({ size, min, max, count }) => {
    const lengths = generate({ size, count }).map(({ capture }) => encodeCapture(capture).length)
    const within = lengths.filter((length) => length >= min && length <= max)
    expect(within.length).toBeGreaterThanOrEqual(0.95 * count)
  },
)

test('encoded captures start like those in circulation and are the same each time', () => {
  for (const { capture } of generate({ count: 5 })) {
    expect(encodeCapture(capture)).toMatch(/^H4sI[A-Za-z0-9+/]+={0,2}$/)
    expect(encodeCapture(capture)).toBe(encodeCapture(capture))
  }
})

test('web captures have the signals of a browser: most of people, few of programs', () => {
  const features = generate({ size: 'typical', count: 150, ...only('web') }).map(({ capture, realIp }) =>
    extractFeatures({
      capture,
      realIp,
      uploadedAt: new Date(capture.collectedAt),
      additionalInfo: {},
      velocity: undefined,
    }),
  )
  const shareOf = (name: FeatureName, value: unknown) =>
    features.filter((one) => one[name] === value).length / features.length
  expect(shareOf('web_automation', true)).toBeGreaterThan(0)
  expect(shareOf('web_automation', false)).toBeGreaterThan(0.9)
  for (const name of [
    'web_user_agent_header_agree',
    'web_user_agent_hints_agree',
    'web_languages_header_agree',
    'web_touch_mobile_agree',
    'web_viewport_fits_screen',
  ] as const)
    expect(shareOf(name, false), name).toBeLessThan(0.1)
  expect(shareOf('web_consent_given', true)).toBe(1)
  expect(shareOf('web_collection_level', 'verified')).toBeCloseTo(0.6, 0)
  for (const name of [
    'behaviour_autofill_share',
    'behaviour_untrusted_share',
    'behaviour_submits_count',
    'behaviour_identity_pastes_count',
    'web_network_type',
    'web_software_rendering',
  ] as const)
    expect(new Set(features.map((one) => one[name])).size, name).toBeGreaterThan(1)
})

test('what is typed into secret fields of a web page leaves no events', () => {
  for (const { capture } of generate({ count: 40, ...only('web') }))
    for (const { type, target } of capture.behaviour?.events ?? [])
      if (target === 'password' || target === 'oneTimeCode')
        expect(['focus', 'blur', 'invalid']).toContain(type)
})

test('platforms have the requested shares', () => {
  const uploads = generate({ count: 1500, platforms: { android: 6, ios: 3, web: 1 } })
  const shareOf = (platform: Platform) =>
    uploads.filter(({ capture }) => capture.platform === platform).length / uploads.length
  expect(shareOf('android')).toBeCloseTo(0.6, 1)
  expect(shareOf('ios')).toBeCloseTo(0.3, 1)
  expect(shareOf('web')).toBeCloseTo(0.1, 1)
})

test('clients return and new clients share devices with the requested shares', () => {
  const clients = new Set<string>()
  const devices = new Set<string>()
  const seen = { repeats: 0, newcomers: 0, sharing: 0 }
  const count = 1500
  for (const { capture, additionalInfo } of generate({
    count,
    repeatClientShare: 0.4,
    sharedDeviceShare: 0.2,
  })) {
    const client = additionalInfo.clientId ?? ''
    const device = capture.device?.id ?? ''
    if (clients.has(client)) seen.repeats++
    else {
      seen.newcomers++
      if (devices.has(device)) seen.sharing++
    }
    clients.add(client)
    devices.add(device)
  }
  expect(seen.repeats / count).toBeCloseTo(0.4, 1)
  expect(seen.sharing / seen.newcomers).toBeCloseTo(0.2, 1)
})

test('with both shares 0, every upload is from a new client on a new device', () => {
  const uploads = generate({ repeatClientShare: 0, sharedDeviceShare: 0 })
  expect(new Set(uploads.map(({ additionalInfo }) => additionalInfo.clientId)).size).toBe(uploads.length)
  expect(new Set(uploads.map(({ capture }) => capture.device?.id)).size).toBe(uploads.length)
})

test('some clients have several devices', () => {
  const devicesOf = Map.groupBy(
    generate({ count: 800, repeatClientShare: 0.6, sharedDeviceShare: 0 }),
    ({ additionalInfo }) => additionalInfo.clientId,
  )
  const counts = [...devicesOf.values()].map(
    (own) => new Set(own.map(({ capture }) => capture.device?.id)).size,
  )
  expect(counts.filter((devices) => devices > 1).length).toBeGreaterThan(5)
})

test('the properties of a device do not change between its captures, and its captures do not overlap', () => {
  const byDevice = Map.groupBy(
    generate({ count: 400, size: 'typical', repeatClientShare: 0.7, ...only('android') }),
    ({ capture }) => capture.device?.id,
  )
  for (const captures of [...byDevice.values()].map((uploads) => uploads.map(({ capture }) => capture))) {
    const constant = captures.map(({ device }) => {
      const { model, osVersion, ramTotalBytes, storageTotalBytes, locale, timeZone } = device ?? {}
      return { model, osVersion, ramTotalBytes, storageTotalBytes, locale, timeZone }
    })
    for (const one of constant) expect(one).toEqual(constant[0])
    for (const [i, { behaviour }] of captures.entries()) {
      const before = captures[i - 1]?.collectedAt ?? '2020-01-01'
      expect(Date.parse(behaviour?.startedAt ?? '')).toBeGreaterThan(Date.parse(before))
    }
  }
})

test('reference numbers are unique and fit the interface, and addresses are unassigned', () => {
  const uploads = generate({ count: 500 })
  expect(new Set(uploads.map(({ referenceNumber }) => referenceNumber)).size).toBe(uploads.length)
  for (const { referenceNumber, realIp } of uploads) {
    expect(referenceNumber).toMatch(/^LN-2026-\d{6}-[0-9A-F]{8}$/)
    expect(realIp).toMatch(/^(198\.1[89]\.|203\.0\.113\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|2001:db8:)/)
  }
})

test('the Android version agrees with the API level', () => {
  for (const { capture } of generate(only('android'))) {
    const version = ANDROID_VERSIONS.find(({ apiLevel }) => apiLevel === capture.device?.apiLevel)
    expect(capture.device?.osVersion).toBe(version?.osVersion)
  }
})

test('the locale and the time zone belong to one country', () => {
  for (const { capture } of generate()) {
    const country = COUNTRIES.find(
      ({ locales, zones }) =>
        locales.some(([tag]) => tag === capture.device?.locale) &&
        zones.some(([zone]) => zone === capture.device?.timeZone),
    )
    expect(country, `${capture.device?.locale} in ${capture.device?.timeZone}`).toBeDefined()
  }
})

test('phones with more memory run newer Android', () => {
  const phones = generate({ count: 600, repeatClientShare: 0, ...only('android') }).map(
    ({ capture }) => capture.device,
  )
  const meanLevel = (some: typeof phones) =>
    some.reduce((sum, phone) => sum + (phone?.apiLevel ?? 0), 0) / some.length
  const [dear, cheap] = [true, false].map((wanted) =>
    phones.filter((phone) => (phone?.ramTotalBytes ?? 0) > 6.5e9 === wanted),
  )
  expect(meanLevel(dear ?? [])).toBeGreaterThan(meanLevel(cheap ?? []) + 1)
})

test('apps that obey the stores neither declare nor read what Google Play and Apple forbid', () => {
  const uploads = generate({ size: 'mixed', count: 120, policy: 'stores' })
  for (const { capture } of uploads) {
    for (const section of capture.platform === 'android' ? ['contacts', 'media', 'sms'] : [])
      expect(capture).not.toHaveProperty(section)
    if (capture.platform === 'ios')
      for (const member of ['bootedAt', 'storageFreeBytes', 'storageTotalBytes'])
        expect(capture.device).not.toHaveProperty(member)
    const declared = capture.permissions?.filter((one) => one.declared).map((one) => one.name) ?? []
    for (const name of declared)
      expect(name).not.toMatch(
        /\.(?:READ_CONTACTS|READ_MEDIA_(?:IMAGES|VIDEO)|.*_EXTERNAL_STORAGE|ACCESS_FINE_LOCATION|READ_PHONE_NUMBERS|QUERY_ALL_PACKAGES|.*_SMS|.*_CALL_LOG)$/,
      )
  }
  expect(uploads.some(({ capture }) => (capture.apps?.length ?? 0) > 0)).toBe(true)
})

test('people who grant one permission are more likely to grant another', () => {
  const answers = generate({ count: 400, size: 'typical', repeatClientShare: 0, ...only('android') }).map(
    ({ capture }) => {
      const granted = new Set(
        capture.permissions?.filter((one) => one.granted).map((one) => one.name.split('.').at(-1)),
      )
      return { sms: granted.has('READ_SMS'), location: granted.has('ACCESS_FINE_LOCATION') }
    },
  )
  const share = (some: typeof answers) => some.filter(({ location }) => location).length / some.length
  expect(share(answers.filter(({ sms }) => sms))).toBeGreaterThan(
    share(answers.filter(({ sms }) => !sms)) + 0.1,
  )
})

test('a person’s typing rhythm stays with them: flight times differ less within people than between them', () => {
  const byClient = Map.groupBy(
    generate({ count: 400, size: 'typical', repeatClientShare: 0.7, ...only('ios') }),
    ({ additionalInfo }) => additionalInfo.clientId,
  )
  const people = [...byClient.values()]
    .filter((uploads) => uploads.length > 1)
    .map((uploads) => uploads.map(({ capture }) => Math.log(medianFlight(capture))))
  expect(people.length).toBeGreaterThan(30)
  const within = mean(people.map(variance))
  const between = variance(people.map(mean))
  expect(within).toBeLessThan(between / 5)
})

function medianFlight(capture: Capture): number {
  const flights = capture.behaviour?.events.flatMap(({ flightMs }) => flightMs ?? []) ?? []
  return flights.toSorted((a, b) => a - b)[Math.floor(flights.length / 2)] ?? Number.NaN
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function variance(values: readonly number[]): number {
  const middle = mean(values)
  return mean(values.map((value) => (value - middle) ** 2))
}
