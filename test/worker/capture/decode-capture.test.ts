import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Capture } from '../../../db/capture/capture.ts'
import { CAPTURE_BOUNDS } from '../../../db/capture/scalars.ts'
import { encodeCapture } from '../../../scripts/captures/encode-capture.ts'
import { generateCaptures } from '../../../scripts/captures/generate-captures.ts'
import { CaptureError, type CaptureErrorCode } from '../../../worker/capture/capture-error.ts'
import { type DecodeBounds, decodeCapture } from '../../../worker/capture/decode-capture.ts'
import { AWKWARD_TEXTS, arbitraryCapture } from '../../support/arbitrary-captures.ts'
import { aCapture } from '../../support/captures.ts'
import { gzipJson } from '../../support/workbench.ts'

const BOUNDS: DecodeBounds = { maxInflatedBytes: 10_000, maxDepth: 8, maxValues: 100, maxNames: 50 }

const AT = '2026-11-20T08:15:30.123Z'

/** All sections and members of the format. */
const FULL = {
  ...aCapture(),
  device: {
    ...{
      id: 'd',
      brand: 'b',
      model: 'm',
      osVersion: '14',
      apiLevel: 34,
      locale: 'en-PH',
      timeZone: 'Asia/Manila',
    },
    screen: { widthPx: 1080, heightPx: 2340, density: 2.8, orientation: 90 },
    ...{ ramTotalBytes: 8e9, ramFreeBytes: 2e9, storageTotalBytes: 1e11, storageFreeBytes: 4e10 },
    battery: { level: 0.6, charging: false },
    ...{ bootedAt: AT, emulator: false, rooted: false, developerMode: false },
    network: { kind: 'wifi', vpn: false, simCount: 2 },
  },
  apps: [{ package: 'p', category: 'c', system: false, installedAt: AT, updatedAt: AT }],
  accounts: { count: 3, byType: { google: 2 } },
  contacts: { count: 3, withPhone: 2, withEmail: 1, groups: 0 },
  calendar: { events: 1, reminders: 1, firstAt: AT, lastAt: AT },
  media: {
    images: { count: 2, firstAt: AT, lastAt: AT },
    video: { count: 1, firstAt: AT, lastAt: AT },
    audio: { count: 0, firstAt: AT, lastAt: AT },
  },
  sms: { received: 1, sent: 1, firstAt: AT, lastAt: AT },
  behaviour: {
    startedAt: AT,
    durationMs: 60_000,
    events: [
      {
        ...{
          t: 1,
          type: 'key',
          target: 'name',
          kind: 'letter',
          dwellMs: 80,
          flightMs: -20,
          length: 4,
          pasted: false,
        },
        ...{
          phase: 'start',
          finger: 0,
          x: 1,
          y: 2,
          pressure: 0.5,
          sizePx: 20,
          sensor: 'gyroscope',
          mean: 1,
          sd: 2,
        },
      },
    ],
  },
  web: {
    browser: {
      ...{
        name: 'Chrome',
        version: '141',
        userAgent: 'Mozilla/5.0',
        languages: ['en'],
        cookiesEnabled: true,
      },
      ...{ hardwareConcurrency: 8, deviceMemoryGb: 8, webdriver: false },
    },
    screen: { widthPx: 1080, heightPx: 2340, density: 1, orientation: 0 },
    page: { origin: 'https://lender.example', path: '/', fields: [{ name: 'amount', kind: 'number' }] },
  },
}

const decodeJson = (json: string | Uint8Array, bounds?: DecodeBounds) =>
  decodeCapture(gzipSync(json, { level: 1 }), bounds)

/** A capture's JSON with more members at its end, written as they are. */
const withMembers = (members: string) => `${JSON.stringify(aCapture()).slice(0, -1)},${members}}`

function faultOf(decode: () => unknown): CaptureError {
  try {
    decode()
  } catch (error) {
    expect(error).toBeInstanceOf(CaptureError)
    return error as CaptureError
  }
  throw new Error('It was decoded')
}

const codeOf = (decode: () => unknown): CaptureErrorCode => faultOf(decode).code

test('a capture with every section is decoded as it was written', () => {
  expect(decodeJson(JSON.stringify(FULL))).toEqual(FULL)
})

describe('gzip', () => {
  const blob = gzipJson(FULL)

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from([0x1f])],
    ['JSON that is not compressed', Buffer.from(JSON.stringify(FULL))],
    ['base64 of gzip', Buffer.from(blob.toString('base64'))],
    ['zlib', Buffer.from([0x78, 0x9c, 1, 2, 3])],
  ])('%s is not gzip', (_, bytes) => {
    const { code, message } = faultOf(() => decodeCapture(bytes))
    expect(code).toBe('not_gzip')
    expect(message).toContain('H4sI')
  })

  test('cut anywhere after its magic number, it is truncated', () => {
    for (let length = 2; length < blob.length; length++)
      expect(codeOf(() => decodeCapture(blob.subarray(0, length)))).toBe('gzip_truncated')
  })

  test.each([
    ['the compression method', 2, 9],
    ['the length at the end', blob.length - 1, 7],
    ['the checksum', blob.length - 8, (blob.at(-8) ?? 0) ^ 1],
    ['the first block', 10, 0xff],
  ])('with a wrong byte in %s it is corrupt', (_, at, byte) => {
    expect(codeOf(() => decodeCapture(Buffer.from(blob).fill(byte, at, at + 1)))).toBe('gzip_corrupt')
  })

  test('of several members, as gzip allows, is their concatenation', () => {
    const json = Buffer.from(JSON.stringify(FULL))
    const members = [json.subarray(0, 100), json.subarray(100, 100), json.subarray(100)].map((part) =>
      gzipSync(part),
    )
    expect(decodeCapture(Buffer.concat(members))).toEqual(FULL)
    expect(codeOf(() => decodeCapture(Buffer.concat(members).subarray(0, -5)))).toBe('gzip_truncated')
  })

  test('padded with zeros, as by tape drives and some SDKs, is decoded; other trailing bytes make it corrupt', () => {
    expect(decodeCapture(Buffer.concat([blob, Buffer.alloc(512)]))).toEqual(FULL)
    for (const garbage of [Buffer.from('garbage'), Buffer.from([0x1f, 0x8b, 1, 2, 3])])
      expect(codeOf(() => decodeCapture(Buffer.concat([blob, garbage])))).toBe('gzip_corrupt')
  })

  test('may inflate to the limit, but not a byte more', () => {
    const { length } = JSON.stringify(FULL)
    const bounds = { ...BOUNDS, maxValues: 1_000 }
    expect(decodeCapture(blob, { ...bounds, maxInflatedBytes: length })).toEqual(FULL)
    const fault = faultOf(() => decodeCapture(blob, { ...bounds, maxInflatedBytes: length - 1 }))
    expect(fault.code).toBe('inflated_too_large')
    expect(fault.message).toContain(String(length - 1))
  })

  test('members that are small but together too large are rejected', () => {
    const member = gzipSync(Buffer.alloc(4_000, ' '))
    expect(codeOf(() => decodeCapture(Buffer.concat([member, member, member]), BOUNDS))).toBe(
      'inflated_too_large',
    )
  })

  test('a bomb of 1000:1 is rejected quickly at the limit', () => {
    const inflatedBytes = 256 * 1024 * 1024
    const piece = gzipSync(Buffer.alloc(inflatedBytes / 16), { level: 9 })
    const bomb = Buffer.concat(Array.from({ length: 16 }, () => piece))
    expect(inflatedBytes / bomb.length).toBeGreaterThan(1_000)
    const before = process.memoryUsage.rss()
    const cpuBefore = process.threadCpuUsage()
    expect(codeOf(() => decodeCapture(bomb))).toBe('inflated_too_large')
    const { user, system } = process.threadCpuUsage(cpuBefore)
    expect((user + system) / 1_000).toBeLessThan(1_000)
    expect(process.memoryUsage.rss() - before).toBeLessThan(128 * 1024 * 1024)
  })
})

describe('text', () => {
  test.each([
    ['a byte that does not occur in UTF-8', [0xff]],
    ['a sequence cut short', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe9]],
  ])('%s is not UTF-8', (_, bytes) => {
    const json = JSON.stringify(aCapture({ device: { brand: '#' } }))
    const [before = '', after = ''] = json.split('#')
    const broken = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    expect(codeOf(() => decodeJson(broken))).toBe('not_utf8')
  })

  test.each(AWKWARD_TEXTS)('%j in a text stays unchanged', (text) => {
    expect(decodeJson(JSON.stringify(aCapture({ device: { brand: text, id: text } }))).device).toEqual({
      brand: text,
      id: text,
    })
  })

  test.each([
    '',
    ' ',
    '{',
    '{"a":}',
    '[1,]',
    '{} {}',
    "{'a':1}",
    '{"a":01}',
    'NaN',
    '\ufeff{}',
    '{"a":"\n"}',
    ']]]',
  ])('%j is not JSON', (json) => {
    expect(codeOf(() => decodeJson(json))).toBe('not_json')
  })
})

describe('limits of the JSON', () => {
  const nested = (levels: number, open: string, close: string) =>
    withMembers(`"x":${open.repeat(levels)}1${close.repeat(levels)}`)

  test.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('%s may be nested to the limit, but not deeper', (open, close) => {
    // the capture itself is a level
    expect(decodeJson(nested(7, open, close), BOUNDS)).toMatchObject(aCapture())
    expect(codeOf(() => decodeJson(nested(8, open, close), BOUNDS))).toBe('too_deep')
    expect(codeOf(() => decodeJson(nested(100_000, open, close)))).toBe('too_deep')
    expect(codeOf(() => decodeJson(open.repeat(100_000)))).toBe('too_deep')
  })

  test('the number of values is limited', () => {
    const json = (values: number) => withMembers(`"x":[${Array(values).fill(0)}]`)
    const others = JSON.stringify(aCapture()).split(/[,[{]/).length // and none within a text
    expect(decodeJson(json(BOUNDS.maxValues - others), BOUNDS)).toMatchObject(aCapture())
    expect(codeOf(() => decodeJson(json(BOUNDS.maxValues - others + 1), BOUNDS))).toBe('too_many_values')
    expect(codeOf(() => decodeJson(json(1_000_000)))).toBe('too_many_values')
  })

  test('lists and objects count as values, even without commas', () => {
    const list = `${'['.repeat(25)}${']'.repeat(25)}`
    expect(codeOf(() => decodeJson(withMembers(`"x":[${Array(30_000).fill(list)}]`)))).toBe('too_many_values')
  })

  test('a text with very many members may have at most 10,000 distinct names', () => {
    const json = (names: number) =>
      withMembers(`"x":[${Array.from({ length: 160_000 }, (_, n) => `{"k${n % names}":"\\":"}`)}]`)
    const ofCapture = 30
    expect(decodeJson(json(10_000 - ofCapture))).toMatchObject(aCapture())
    expect(codeOf(() => decodeJson(json(10_001)))).toBe('too_many_values')
  })

  test('commas and brackets within a text are not counted', () => {
    const device = { brand: '[{,'.repeat(200) }
    expect(decodeJson(JSON.stringify(aCapture({ device })), BOUNDS).device).toEqual(device)
  })

  test('the lengths of lists and texts are limited', () => {
    const app = { package: 'p' }
    const apps = Array(CAPTURE_BOUNDS.apps).fill(app)
    expect(decodeJson(JSON.stringify(aCapture({ apps }))).apps).toHaveLength(CAPTURE_BOUNDS.apps)
    expect(faultOf(() => decodeJson(JSON.stringify(aCapture({ apps: [...apps, app] })))).message).toMatch(
      /^apps: /,
    )
    const byType = (kinds: number) => ({
      accounts: {
        count: 1,
        byType: Object.fromEntries(Array.from({ length: kinds }, (_, n) => [`k${n}`, 0])),
      },
    })
    expect(decodeJson(JSON.stringify(aCapture(byType(CAPTURE_BOUNDS.listItems))))).toMatchObject(
      byType(CAPTURE_BOUNDS.listItems),
    )
    expect(
      faultOf(() => decodeJson(JSON.stringify(aCapture(byType(CAPTURE_BOUNDS.listItems + 1))))).message,
    ).toBe('accounts.byType: Too many members: expected at most 1000')
    const brand = 'x'.repeat(CAPTURE_BOUNDS.text)
    expect(decodeJson(JSON.stringify(aCapture({ device: { brand } }))).device?.brand).toBe(brand)
    expect(codeOf(() => decodeJson(JSON.stringify(aCapture({ device: { brand: `${brand}x` } }))))).toBe(
      'not_a_capture',
    )
  })

  test.each(['1e999', '-1e999', '1e308', '9007199254740993', '-1', '0.5', `1${'0'.repeat(400)}`])(
    'a count of %s is rejected with its path',
    (number) => {
      const { code, message } = faultOf(() => decodeJson(withMembers(`"contacts":{"count":${number}}`)))
      expect(code).toBe('not_a_capture')
      expect(message).toMatch(/^contacts\.count: /)
    },
  )

  test('messages are short for any input', () => {
    const longName = withMembers(`"accounts":{"count":1,"byType":{"${'a'.repeat(5_000_000)}":1}}`)
    const manyFaults = withMembers(`"apps":[${Array(4_000).fill('{"package":1}')}]`)
    for (const json of [longName, manyFaults])
      expect(faultOf(() => decodeJson(json)).message.length).toBeLessThan(1_000)
    expect(faultOf(() => decodeJson(manyFaults)).message).toMatch(/and 3995 more$/)
  })
})

describe('members', () => {
  test.each([
    ['at the top', withMembers('"platform":"android"')],
    ['of the same value', '{"a":1,"a":1}'],
    ['within a section', withMembers('"contacts":{"count":1,"count":2}')],
    ['within a list', withMembers('"x":[{"y":[{"a":1,"b":2,"a":3}]}]')],
    ['once with an escape', withMembers(String.raw`"x":{"a":1,"\u0061":2}`)],
    ['both with escapes', withMembers(String.raw`"x":{"\n":1,"\u000a":2}`)],
    ['with the empty name', withMembers('"x":{"":1,"":2}')],
    ['whose first value has members too', withMembers('"x":{"a":{"b":1},"a":2}')],
  ])('%s twice are rejected', (_, json) => {
    expect(codeOf(() => decodeJson(json))).toBe('repeated_member')
  })

  test('of the same name in different objects are not repeated', () => {
    expect(decodeJson(withMembers('"x":[{"a":1},{"a":{"a":1}}]'))).toMatchObject(aCapture())
  })

  test.each([
    '"__proto__":{"polluted":true}',
    '"x":[{"y":{"__proto__":null}}]',
    '"device":{"__proto__":{"id":"d"}}',
    '"accounts":{"count":1,"byType":{"__proto__":1}}',
    String.raw`"\u005f\u005fproto__":1`,
    '"__proto__":1,"__proto__":2',
  ])('named __proto__ are rejected: %s', (members) => {
    expect(codeOf(() => decodeJson(withMembers(members)))).toBe('forbidden_member')
    expect({}).not.toHaveProperty('polluted')
  })

  test('named like inherited members are ordinary members', () => {
    const byType = { constructor: 1, toString: 2, hasOwnProperty: 3, valueOf: 4 }
    const { accounts } = decodeJson(JSON.stringify(aCapture({ accounts: { count: 1, byType } })))
    expect({ ...accounts?.byType }).toEqual(byType)
  })

  test('that are unknown are ignored, as are unknown sections', () => {
    const device = { id: 'd', colour: 'blue', screen: { widthPx: 1, heightPx: 2, notch: {} } }
    const capture = decodeJson(JSON.stringify(aCapture({ device, thermometer: { celsius: [21] } })))
    expect(capture).toMatchObject(aCapture({ device: { id: 'd', screen: { widthPx: 1, heightPx: 2 } } }))
  })

  test('that are null count as missing; null is rejected for required ones', () => {
    const empty = { device: null, apps: null, behaviour: null, web: { browser: null } }
    expect(decodeJson(JSON.stringify(aCapture(empty)))).toEqual(aCapture(empty))
    expect(faultOf(() => decodeJson(JSON.stringify(aCapture({ collectedAt: null })))).message).toMatch(
      /^collectedAt/,
    )
  })
})

describe('the format', () => {
  test.each(['capture/2', 'capture/1.0', 'Capture/1', '', null, 1, { name: 'capture/1' }, undefined])(
    '%j is not supported',
    (format) => {
      const { code, message } = faultOf(() => decodeJson(JSON.stringify(aCapture({ format }))))
      expect(code).toBe('unsupported_format')
      expect(message).toContain('capture/1')
    },
  )

  test.each(['null', '[]', '1', '"capture/1"', '[{"format":"capture/1"}]', '{}'])(
    '%s is not a capture',
    (json) => {
      expect(codeOf(() => decodeJson(json))).toBe('unsupported_format')
    },
  )

  test('an invalid event is rejected with its path, at any index', () => {
    const events: object[] = Array.from({ length: 12_345 }, (_, t) => ({ t, type: 'key' }))
    const behaviour = { startedAt: AT, durationMs: 10, events: [...events, { t: -1, type: 'key' }, { t: 5 }] }
    const { code, message } = faultOf(() => decodeJson(JSON.stringify(aCapture({ behaviour }))))
    expect(code).toBe('not_a_capture')
    expect(message).toMatch(/^behaviour\.events\.12345\.t: .*; behaviour\.events\.12346\.type: /)
    const beside = { behaviour: { ...behaviour, durationMs: -1, events }, device: { id: 7 } }
    expect(faultOf(() => decodeJson(JSON.stringify(aCapture(beside)))).message).toMatch(
      /^device\.id: .*; behaviour\.durationMs: [^;]*$/,
    )
  })

  test('an event of an unknown type is retained', () => {
    const events = [{ t: 5, type: 'gaze', x: 3, y: 4 }]
    const behaviour = { startedAt: AT, durationMs: 10, events }
    expect(decodeJson(JSON.stringify(aCapture({ behaviour }))).behaviour?.events).toEqual(events)
  })

  test('a value of a wrong type is rejected with its path, everywhere', () => {
    const places = listPlaces(FULL).filter(([first]) => first !== 'format')
    expect(places.length).toBeGreaterThan(90)
    for (const place of places)
      for (const wrong of wrongValues(valueAt(FULL, place))) {
        const { code, message } = faultOf(() => decodeCapture(gzipJson(replaceAt(FULL, place, wrong))))
        expect([code, message]).toEqual(['not_a_capture', expect.stringContaining(place.join('.'))])
      }
  })

  test.each(['2026-11-20', '2026-11-20T08:15:30', '2026-13-01T00:00:00Z', 'yesterday', '', '1763626530'])(
    '%j is not a timestamp: date, time of day and UTC offset are required',
    (collectedAt) => {
      expect(faultOf(() => decodeJson(JSON.stringify(aCapture({ collectedAt })))).message).toMatch(
        /^collectedAt: /,
      )
    },
  )

  test.each(['Android', 'windows', ''])('%j is not a platform', (platform) => {
    expect(faultOf(() => decodeJson(JSON.stringify(aCapture({ platform })))).message).toMatch(/^platform: /)
  })
})

describe('arbitrary data', () => {
  test('a valid capture is decoded as by the schema', () => {
    fc.assert(
      fc.property(arbitraryCapture, (capture) => {
        const json = JSON.stringify(capture)
        const decoded = decodeJson(json)
        expect(decoded).toEqual(Capture.parse(JSON.parse(json)))
        expectPlain(decoded)
      }),
      { numRuns: 700 },
    )
  })

  test('bytes after the gzip magic number are decoded or rejected, never anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, marked) => {
        expectDecodedOrRefused(Buffer.concat([Buffer.from(marked ? [0x1f, 0x8b, 8, 0] : []), bytes]))
      }),
      { numRuns: 1_000 },
    )
  })

  test('bytes and JSON within valid gzip are decoded or rejected', () => {
    const contents = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json({ depthSize: 'medium' }).map((json) => Buffer.from(json)),
      fc
        .jsonValue()
        .map((value) => Buffer.from(JSON.stringify(aCapture({ device: value, apps: value, sdk: value })))),
    )
    fc.assert(
      fc.property(contents, (bytes) => void expectDecodedOrRefused(gzipSync(bytes, { level: 1 }))),
      { numRuns: 1_500 },
    )
  })

  test('a real capture with any value replaced is decoded or rejected', () => {
    const places = REAL.map(({ capture }) => listPlaces(capture))
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.anything({ withNullPrototype: false }), (which, where, value) => {
        const at = which % REAL.length
        const place = places[at]?.[where % (places[at]?.length ?? 1)] ?? []
        expectDecodedOrRefused(gzipJson(replaceAt(REAL[at]?.capture, place, value)))
      }),
      { numRuns: 500 },
    )
  })

  test.each(['before', 'after'] as const)(
    'a real capture with bytes flipped, inserted and deleted %s compression is decoded or rejected',
    (when) => {
      const codes = new Set<string>()
      fc.assert(
        fc.property(fc.nat(), arbitraryEdits, (which, edits) => {
          const { json, blob } = REAL[which % REAL.length] as (typeof REAL)[number]
          const edited = when === 'before' ? gzipSync(edit(json, edits), { level: 1 }) : edit(blob, edits)
          codes.add(expectDecodedOrRefused(edited))
        }),
        { numRuns: 800 },
      )
      expect(codes.size).toBeGreaterThan(2) // otherwise the edits would reach only one check
    },
  )

  test('a large real capture is decoded within a second', () => {
    const [upload] = generateCaptures({ seed: 'large', count: 1, size: 'large' })
    if (!upload) throw new Error('nothing was generated')
    const blob = Buffer.from(encodeCapture(upload.capture), 'base64')
    expect(expectDecodedOrRefused(blob)).toBe('decoded')
    for (let cut = 1; cut < 20; cut++) {
      const random = randomBytes(3)
      expectDecodedOrRefused(Buffer.concat([blob.subarray(0, (blob.length * cut) / 20), random]))
    }
  })
})

const REAL = [
  ...generateCaptures({ seed: 'decode', count: 12, size: 'small' }),
  ...generateCaptures({ seed: 'decode', count: 4, size: 'typical' }),
].map(({ capture }) => {
  const blob = Buffer.from(encodeCapture(capture), 'base64')
  return { capture, blob, json: gunzipSync(blob) }
})

/** Returns the error code, or `decoded`. */
function expectDecodedOrRefused(blob: Uint8Array): string {
  const before = process.threadCpuUsage() // not the clock, which also counts what others do meanwhile
  let end = 'decoded'
  try {
    expectPlain(decodeCapture(blob))
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error
    expect(error.message).not.toBe('')
    end = error.code
  }
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(1_000)
  return end
}

/** Expects plain objects and lists only, for any data. */
function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Array.prototype)
    throw new Error('A decoded value has an unexpected prototype')
  if (Object.hasOwn(value, '__proto__')) throw new Error('A decoded value has a member __proto__')
  for (const item of Object.values(value)) expectPlain(item)
}

interface Edit {
  readonly kind: 'flip' | 'insert' | 'delete'
  /** Share of the way through. */
  readonly at: number
  readonly bytes: Uint8Array
}

const arbitraryEdits = fc.array(
  fc.record<Edit>({
    kind: fc.constantFrom('flip', 'insert', 'delete'),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    bytes: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
      fc
        .constantFrom('"', '{', '}', '[', ']', ',', ':', '\\', '0', '-', 'e9', 'null')
        .map((text) => Buffer.from(text)),
    ),
  }),
  { minLength: 1, maxLength: 4 },
)

function edit(original: Uint8Array, edits: readonly Edit[]): Uint8Array {
  let bytes = Buffer.from(original)
  for (const { kind, at, bytes: changed } of edits) {
    const start = Math.floor(at * bytes.length)
    if (kind === 'flip')
      for (const [n, byte] of changed.entries()) bytes[start + n] = (bytes[start + n] ?? 0) ^ byte
    else {
      const end = kind === 'delete' ? start + changed.length : start
      bytes = Buffer.concat(
        [bytes.subarray(0, start), kind === 'insert' ? changed : [], bytes.subarray(end)].map(toBuffer),
      )
    }
  }
  return bytes
}

const toBuffer = (bytes: Uint8Array | readonly number[]) => Buffer.from(bytes)

type Place = readonly string[]

/** Lists the paths of all values except the root. */
function listPlaces(value: unknown, place: Place = []): Place[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) => listPlaces(member, [...place, name]))
      : []
  return place.length > 0 ? [place, ...inner] : inner
}

const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce((inner, name) => (inner as Record<string, unknown>)[name], value)

function replaceAt(value: unknown, [name, ...rest]: Place, replacement: unknown): unknown {
  if (name === undefined) return replacement
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  return Object.assign(copy, {
    [name]: replaceAt((value as Record<string, unknown>)[name], rest, replacement),
  })
}

/** Of the types that JSON has, those which it is not. */
function wrongValues(value: unknown): unknown[] {
  const kindOf = (candidate: unknown) => (Array.isArray(candidate) ? 'array' : typeof candidate)
  return ['text', 7, true, [], {}].filter((candidate) => kindOf(candidate) !== kindOf(value))
}
