import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type CaptureReport,
  checkCapture,
  type InvalidReport,
  type ValidReport,
} from '../../scripts/capture-check/check-capture.ts'
import { recogniseCaptures } from '../../scripts/capture-check/recognise-captures.ts'
import { aCapture } from '../support/captures.ts'
import { readToEnd } from '../support/read-to-end.ts'
import { PROJECT } from '../support/start-process.ts'

vi.setConfig({ testTimeout: 60_000 })

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'inkling-check-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const GOLDEN = join(PROJECT, 'docs/conformance')

async function check(args: readonly string[], input: string | Buffer = '') {
  const child = spawn(join(PROJECT, 'scripts/check-capture'), args, { cwd: directory })
  child.stdin.on('error', () => {}) // it may end before it has read everything
  child.stdin.end(input)
  return readToEnd(child)
}

async function save(name: string, content: string | Buffer | object): Promise<string> {
  const path = join(directory, name)
  const raw = typeof content === 'string' || Buffer.isBuffer(content)
  await writeFile(path, raw ? content : JSON.stringify(content))
  return path
}

/** Checks the first capture of a file, in this process. */
function checkFirst(content: string | Buffer | object, ...declared: readonly string[]): CaptureReport {
  const raw = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content)
  const [found] = recogniseCaptures(Buffer.from(raw))
  if (found === undefined) throw new Error('no capture')
  return checkCapture('capture', found, declared)
}

/** The same for a valid capture. */
function checkValid(content: string | Buffer | object, ...declared: readonly string[]): ValidReport {
  const report = checkFirst(content, ...declared)
  if (!report.valid) throw new Error(JSON.stringify(report.faults))
  return report
}

/** The same for an invalid one. */
function checkInvalid(content: string | Buffer | object): InvalidReport {
  const report = checkFirst(content)
  if (report.valid) throw new Error('the capture is valid')
  return report
}

const withEvents = (events: readonly object[]) =>
  aCapture({ behaviour: { startedAt: '2026-11-20T08:09:02.000Z', durationMs: 60_000, events } })

describe('reads', () => {
  const json = JSON.stringify(aCapture({ device: { brand: 'Nokia' } }))
  const base64 = gzipSync(json).toString('base64')

  test.each([
    ['JSON', 'json', json],
    ['indented JSON', 'json', JSON.stringify(JSON.parse(json), null, 2)],
    ['gzip', 'gzip', gzipSync(json)],
    ['base64 of gzip', 'base64', base64],
    ['base64 of gzip in quotes', 'base64', `"${base64}"\n`],
    ['the body of an upload', 'upload', JSON.stringify({ referenceNumber: 'r', data: base64 })],
  ])('%s', (_, encoding, content) => {
    const report = checkValid(content)
    expect(report.encoding).toBe(encoding)
    expect(report.features).toContainEqual({ name: 'device_brand', value: 'nokia' })
  })

  test('lines of captures and uploads, from stdin', async () => {
    const upload = JSON.stringify({ referenceNumber: 'r', data: base64 })
    const { code, stdout } = await check(['-'], `${json}\n\n${upload}\n${base64}\n{"format":"capture/9"}\n`)
    expect(code).toBe(1)
    expect(stdout.match(/^✓ stdin:(1|3|4): valid/gm)?.length).toBe(3)
    expect(stdout).toContain('✗ stdin:5: invalid, error code unsupported_format')
    expect(stdout).toContain('3 of 4 captures are valid')
  })
})

describe('rejects', () => {
  test.each([
    ['an empty file', '', 'The file is empty'],
    ['a binary file', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0]), 'The file is binary, but not gzip'],
    ['text', 'hello, world!', 'neither a JSON object nor base64 of gzip'],
    ['base64 of something else', Buffer.from('x'.repeat(30)).toString('base64'), 'must start with H4sI'],
    ['an upload whose data is not base64', { data: '%%%' }, 'The member data of the upload is not base64'],
    ['JSON that stops', '{"format":"capture/1",', 'is not JSON (Expected'],
    ['gzip that stops', gzipSync('{"format":"capture/1"}').subarray(0, 20), 'The gzip data is truncated'],
  ])('%s', (_, content, message) => {
    expect(checkInvalid(content).faults[0]).toEqual({
      pointer: '',
      message: expect.stringContaining(message),
    })
  })

  test('a missing file, a directory and a wrong command line with exit code 2', async () => {
    const good = await save('good.json', aCapture({}))
    const { code, stdout, stderr } = await check(['missing.json', directory, good])
    expect(code).toBe(2)
    expect(stderr).toContain('No such file or directory: missing.json')
    expect(stderr).toContain(`${directory} is a directory. Name the files`)
    expect(stdout).toContain('✓')
    for (const args of [[], ['--policy', 'other', good], ['--json', '--details', good]])
      expect((await check(args)).code, args.join(' ')).toBe(2)
  })
})

describe('lists', () => {
  test('each error of the schema with its place', () => {
    const report = checkInvalid({
      ...withEvents([{ t: 1, type: 'key' }, { t: -1, type: 'key' }, { type: 'key' }]),
      collectedAt: 'yesterday',
      accounts: { count: 1, byType: { 'a/b~c': -1 } },
    })
    expect(report.code).toBe('not_a_capture')
    expect(report.faults).toEqual([
      { pointer: '/collectedAt', message: expect.stringContaining('must be an ISO 8601 time') },
      { pointer: '/accounts/byType/a~1b~0c', message: 'must be at least 0' },
      { pointer: '/behaviour/events/1/t', message: 'must be at least 0' },
      { pointer: '/behaviour/events/2/t', message: 'is required' },
    ])
  })

  test('at most 100 errors, and how many more there are', () => {
    const report = checkInvalid(withEvents(Array.from({ length: 150 }, () => ({ t: 'x', type: 'key' }))))
    expect([report.faults.length, report.more]).toEqual([100, 50])
  })

  test('members that are not in the format, and the member that was meant', () => {
    const report = checkValid(
      aCapture({
        device: { storage_free_bytes: 5, brand: 'Nokia' },
        accounts: { count: 1, byType: { anything: 1 } },
        behaviour: {
          startedAt: '2026-11-20T08:09:02.000Z',
          durationMs: 1,
          events: [
            { t: 1, type: 'key', code: 'KeyA' },
            { t: 2, type: 'key', code: 'KeyB' },
          ],
        },
      }),
    )
    expect(report.ignored).toEqual([
      { pointer: '/device/storage_free_bytes', times: 1, meant: 'storageFreeBytes' },
      { pointer: '/behaviour/events/0/code', times: 2 },
    ])
  })

  test('why features cannot be computed', () => {
    const report = checkValid(withEvents([{ t: 1, type: 'key' }]))
    const reasons = new Map(report.missing.map(({ name, reason }) => [name, reason]))
    expect(reasons.get('contacts_count')).toBe('contacts absent')
    expect(reasons.get('behaviour_key_dwell_ms')).toBe('needs 5 key events with dwellMs')
    expect(report.atUpload).toContain('velocity_device_24h')
    expect(report.features).toContainEqual({ name: 'behaviour_keys_count', value: 1, unit: 'keys' })
  })

  test('the size, what weighs most, and what would make it lighter', () => {
    const events = Array.from({ length: 2_000 }, (_, at) => ({
      t: at * 16.666_666_666_7 + 0.123_456_789,
      type: 'pointer',
      phase: 'move',
      x: (at * 7.123_456_7) % 900,
      y: (at * 3.987_654_3) % 700,
      pressure: null,
    }))
    const report = checkValid(JSON.stringify(withEvents(events), null, 2))
    const { heaviest, advice, jsonBytes, gzipBytes, base64Bytes } = report.size
    expect(heaviest[0]).toMatchObject({
      part: 'behaviour.events pointer',
      share: expect.toSatisfy((n) => n > 0.9),
    })
    expect(jsonBytes).toBeGreaterThan(gzipBytes)
    expect(base64Bytes).toBe(Math.ceil(gzipBytes / 3) * 4)
    expect(advice.join('\n')).toMatch(/without white space: saves \d+[\s\S]*Round numbers/)
  })
})

describe('policies of stores', () => {
  const declares = (name: string) => ({ name: `android.permission.${name}`, declared: true, granted: false })

  test('are reported, and decide about the exit code only if they are named', async () => {
    const capture = aCapture({
      platform: 'android',
      contacts: { count: 1 },
      permissions: [declares('CAMERA')],
    })
    const path = await save('contacts.json', capture)
    const { code, stdout } = await check([path])
    expect(code).toBe(0)
    expect(stdout).toContain('✗ /contacts (contacts) forbidden')
    expect((await check(['--policy', 'google_play_loans', path])).code).toBe(1)
    expect((await check(['--policy', 'apple_required_reasons', path])).code).toBe(0)
    const json = await check(['--json', '--declared', 'sms', path])
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: true, stores: [{ passes: false }] })
  })

  test('allow messages and the call log with a declaration, and limit the list of applications', () => {
    const capture = {
      ...aCapture({ platform: 'android', sms: { received: 1, sent: 0 }, apps: [] }),
      permissions: [declares('READ_CALL_LOG'), { ...declares('READ_CONTACTS'), declared: false }],
    }
    expect(checkValid(capture, 'sms').stores[0]?.passes).toBe(false)
    const [result] = checkValid(capture, 'sms', 'call_log').stores
    expect(result?.passes).toBe(true)
    expect(result?.findings).toMatchObject([
      { rule: 'installed_apps', effect: 'limited', breaks: false, pointer: '/apps' },
      { rule: 'sms', effect: 'needs_declaration', breaks: false, pointer: '/sms' },
      {
        rule: 'call_log',
        breaks: false,
        pointer: '/permissions/0',
        found: 'android.permission.READ_CALL_LOG',
      },
    ])
  })

  test('of Apple concern the boot time and the storage of iOS, not of Android', () => {
    const device = { bootedAt: '2026-11-01T01:00:00Z', storageFreeBytes: 1, storageTotalBytes: 2 }
    const [ios] = checkValid(aCapture({ platform: 'ios', device })).stores
    expect(ios?.passes).toBe(false)
    expect(ios?.findings.map(({ pointer }) => pointer)).toEqual([
      '/device/bootedAt',
      '/device/storageFreeBytes',
      '/device/storageTotalBytes',
    ])
    const android = checkValid(aCapture({ platform: 'android', device, permissions: [] }))
    expect(android.stores).toMatchObject([{ store: 'google_play_loans', passes: true, findings: [] }])
    expect(checkValid(aCapture({ platform: 'web', device })).stores).toEqual([])
  })
})

test('many files show their progress on stderr and totals on stdout', async () => {
  const files = Array.from({ length: 25 }, () => join(GOLDEN, 'ios-store.json'))
  const { code, stdout, stderr } = await check(files)
  expect({ code, lines: stdout.match(/^✓/gm)?.length }).toEqual({ code: 0, lines: 25 })
  expect(stdout).toContain('25 of 25 captures are valid\n')
  expect(stderr).toMatch(/^check 25 of 25 in [\d.]+ s \(\d+ a second\)\n$/)
})

test('texts of a capture cannot control the terminal', async () => {
  const { stdout } = await check([
    await save('escape.json', aCapture({ device: { brand: '\u001b[2Jx\u009b1m' } })),
  ])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(stdout).toContain('device_brand')
})

test('--features prints what a file of expected features holds', async () => {
  const { code, stdout } = await check(['--features', join(GOLDEN, 'android-full.json')])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual(
    JSON.parse(await readFile(join(GOLDEN, 'android-full.features.json'), 'utf8')),
  )
})
