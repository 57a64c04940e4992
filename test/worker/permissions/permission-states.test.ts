import { expect, test } from 'vitest'
import { Capture } from '../../../db/capture/capture.ts'
import { ANDROID_PERMISSIONS } from '../../../worker/permissions/android.ts'
import { IOS_PERMISSIONS } from '../../../worker/permissions/ios.ts'
import { presentPermissions } from '../../../worker/permissions/permission-states.ts'

const ANDROID_MODULES = 'core application account behavioral calendar contact audio images video sms'.split(
  ' ',
)
const IOS_MODULES = 'core behavioral contacts calendarEvents calendarReminders media music'.split(' ')

const android = (members: object = {}): Capture =>
  Capture.parse({
    format: 'capture/1',
    platform: 'android',
    collectedAt: '2026-11-20T08:15:30.123Z',
    sdk: { version: '4.1.0', modules: ANDROID_MODULES },
    device: { osVersion: '14', apiLevel: 34 },
    permissions: [
      { name: 'android.permission.READ_CONTACTS', declared: true, granted: true },
      { name: 'android.permission.READ_SMS', declared: true, granted: false },
      { name: 'android.permission.READ_CALL_LOG', declared: false, granted: false },
    ],
    ...members,
  })

const ios = (members: object = {}): Capture =>
  Capture.parse({
    format: 'capture/1',
    platform: 'ios',
    collectedAt: '2026-11-20T09:00:00.000Z',
    sdk: { version: '3.1.1', modules: IOS_MODULES },
    device: { osVersion: '18.1' },
    permissions: [
      { name: 'NSContactsUsageDescription', declared: true, granted: true },
      { name: 'NSPhotoLibraryUsageDescription', declared: true, granted: false },
    ],
    ...members,
  })

/** The state of a permission; undefined when the fragment does not list it. */
const stateOf = (capture: Capture, name: string) =>
  presentPermissions(capture).find(({ permission }) => permission === name)?.state

const READ_CONTACTS = 'android.permission.READ_CONTACTS'
const POST_NOTIFICATIONS = 'android.permission.POST_NOTIFICATIONS'
const names = (states: ReturnType<typeof presentPermissions>) => states.map(({ permission }) => permission)
const namesOf = (catalogue: readonly { name: string }[]) => catalogue.map(({ name }) => name)

test('an Android capture gets the whole Android catalogue, in catalogue order', () => {
  expect(names(presentPermissions(android()))).toEqual(namesOf(ANDROID_PERMISSIONS))
})

test('an iOS capture gets the whole iOS catalogue, in catalogue order', () => {
  expect(names(presentPermissions(ios()))).toEqual(namesOf(IOS_PERMISSIONS))
})

test('the Android example shows granted, not granted, not declared and not readable', () => {
  expect(stateOf(android(), READ_CONTACTS)).toBe('1')
  expect(stateOf(android(), 'android.permission.READ_SMS')).toBe('0')
  expect(stateOf(android(), 'android.permission.READ_CALL_LOG')).toBe('-1')
  expect(stateOf(android(), 'android.permission.ACCESS_FINE_LOCATION')).toBeNull()
})

test('the iOS example shows granted, not granted and not readable', () => {
  expect(stateOf(ios(), 'NSContactsUsageDescription')).toBe('1')
  expect(stateOf(ios(), 'NSPhotoLibraryUsageDescription')).toBe('0')
  expect(stateOf(ios(), 'NSUserTrackingUsageDescription')).toBeNull()
})

test('a catalogue permission that an Android capture does not list counts as not declared', () => {
  expect(stateOf(android(), 'android.permission.READ_CALENDAR')).toBe('-1')
  expect(stateOf(android({ permissions: undefined }), READ_CONTACTS)).toBe('-1')
})

test('iOS has no -1: neither unlisted nor undeclared permissions get it', () => {
  const capture = ios({
    permissions: [
      { name: 'NSContactsUsageDescription', declared: false, granted: false },
      { name: 'NSMadeUpUsageDescription', declared: false, granted: false },
    ],
  })
  expect(stateOf(capture, 'NSContactsUsageDescription')).toBe('0')
  expect(stateOf(capture, 'NSMadeUpUsageDescription')).toBe('0')
  expect(stateOf(capture, 'NSRemindersUsageDescription')).toBe('0')
  expect(presentPermissions(capture).map(({ state }) => state)).not.toContain('-1')
})

test.each([undefined, null])('a permission whose declared is %s counts as declared', (declared) => {
  const permissions = [{ name: READ_CONTACTS, declared, granted: false }]
  expect(stateOf(android({ permissions }), READ_CONTACTS)).toBe('0')
})

test('a permission that is granted is 1 even when it is listed as not declared', () => {
  const permissions = [{ name: READ_CONTACTS, declared: false, granted: true }]
  expect(stateOf(android({ permissions }), READ_CONTACTS)).toBe('1')
})

test('permissions outside the catalogue follow it in the order of the capture', () => {
  const permissions = [
    { name: 'com.example.ZULU', granted: true },
    { name: READ_CONTACTS, granted: true },
    { name: 'com.example.ALPHA', granted: false },
    { name: 'com.example.MIKE', declared: false, granted: false },
  ]
  const states = presentPermissions(android({ permissions }))
  expect(states.slice(ANDROID_PERMISSIONS.length)).toEqual([
    { permission: 'com.example.ZULU', state: '1' },
    { permission: 'com.example.ALPHA', state: '0' },
    { permission: 'com.example.MIKE', state: '-1' },
  ])
})

test('a permission outside the catalogue is listed for any modules and OS version', () => {
  const permissions = [{ name: 'com.example.ALPHA', granted: true }]
  const capture = android({ sdk: { modules: [] }, device: { apiLevel: 1 }, permissions })
  expect(stateOf(capture, 'com.example.ALPHA')).toBe('1')
})

test('a name listed twice appears once, with its first entry', () => {
  const permissions = [
    { name: READ_CONTACTS, granted: false },
    { name: 'com.example.ALPHA', granted: true },
    { name: READ_CONTACTS, granted: true },
    { name: 'com.example.ALPHA', granted: false },
  ]
  const capture = android({ permissions })
  const states = presentPermissions(capture)
  expect(states).toHaveLength(ANDROID_PERMISSIONS.length + 1)
  expect(stateOf(capture, READ_CONTACTS)).toBe('0')
  expect(states.at(-1)).toEqual({ permission: 'com.example.ALPHA', state: '1' })
})

test('a permission named like an inherited member is an ordinary permission', () => {
  const permissions = [{ name: '__proto__', granted: true }]
  expect(presentPermissions(android({ permissions })).at(-1)).toEqual({ permission: '__proto__', state: '1' })
})

test('a permission is null when its module is not installed, even when it is listed as granted', () => {
  const permissions = [{ name: READ_CONTACTS, granted: true }]
  expect(stateOf(android({ sdk: { modules: ['core'] }, permissions }), READ_CONTACTS)).toBeNull()
})

test('with an empty list of modules, the whole catalogue is null', () => {
  const states = presentPermissions(ios({ sdk: { modules: [] } }))
  expect(new Set(states.map(({ state }) => state))).toEqual(new Set([null]))
})

test.each([{ sdk: undefined }, { sdk: {} }, { sdk: { modules: null } }])(
  'without a list of modules (%j), all count as installed',
  (members) => {
    expect(stateOf(android(members), 'android.permission.CAMERA')).toBe('-1')
    expect(stateOf(ios(members), 'NSCameraUsageDescription')).toBe('0')
  },
)

test('a permission newer than the Android API level is null, even when it is listed as granted', () => {
  const permissions = [{ name: POST_NOTIFICATIONS, granted: true }]
  expect(stateOf(android({ device: { apiLevel: 32 }, permissions }), POST_NOTIFICATIONS)).toBeNull()
  expect(stateOf(android({ device: { apiLevel: 33 }, permissions }), POST_NOTIFICATIONS)).toBe('1')
})

test('the API level takes precedence over the OS version', () => {
  expect(stateOf(android({ device: { apiLevel: 30, osVersion: '14' } }), POST_NOTIFICATIONS)).toBeNull()
})

test.each([
  ['12', POST_NOTIFICATIONS, null],
  ['13', POST_NOTIFICATIONS, '-1'],
  ['16.0.1', POST_NOTIFICATIONS, '-1'],
  ['Android 11', 'android.permission.QUERY_ALL_PACKAGES', '-1'],
  ['10', 'android.permission.QUERY_ALL_PACKAGES', null],
  ['8.1.0', 'android.permission.USE_BIOMETRIC', null],
  ['9', 'android.permission.USE_BIOMETRIC', '-1'],
  ['Baklava', POST_NOTIFICATIONS, '-1'],
  ['', POST_NOTIFICATIONS, '-1'],
  [undefined, POST_NOTIFICATIONS, '-1'],
])('without an API level, Android version %j makes %s %j', (osVersion, name, state) => {
  expect(stateOf(android({ device: { osVersion } }), name)).toBe(state)
})

test.each([
  ['16.7.10', 'NSCalendarsFullAccessUsageDescription', null],
  ['17', 'NSCalendarsFullAccessUsageDescription', '0'],
  ['iOS 17.0', 'NSCalendarsFullAccessUsageDescription', '0'],
  ['9.2.1', 'NSAppleMusicUsageDescription', null],
  ['9.3', 'NSAppleMusicUsageDescription', '0'],
  ['10.0', 'NSAppleMusicUsageDescription', '0'],
  ['9.10', 'NSAppleMusicUsageDescription', '0'],
  ['unknown', 'NSCalendarsFullAccessUsageDescription', '0'],
  [undefined, 'NSCalendarsFullAccessUsageDescription', '0'],
])('iOS version %j makes %s %j', (osVersion, name, state) => {
  expect(stateOf(ios({ device: { osVersion } }), name)).toBe(state)
})

test('a capture without device, sdk and permissions still lists the catalogue', () => {
  const bare = { device: undefined, sdk: undefined, permissions: undefined }
  expect(new Set(presentPermissions(android(bare)).map(({ state }) => state))).toEqual(new Set(['-1']))
  expect(new Set(presentPermissions(ios(bare)).map(({ state }) => state))).toEqual(new Set(['0']))
})

test('a web capture has no permission states', () => {
  const capture = Capture.parse({
    format: 'capture/1',
    platform: 'web',
    collectedAt: '2026-11-20T09:30:00.000Z',
    permissions: [{ name: 'geolocation', granted: false }],
  })
  expect(presentPermissions(capture)).toEqual([])
})

test('presenting changes neither the capture nor later results', () => {
  const capture = android()
  const before = structuredClone(capture)
  const first = presentPermissions(capture)
  expect(capture).toEqual(before)
  expect(presentPermissions(capture)).toEqual(first)
})

test.each([
  ['Android', ANDROID_PERMISSIONS],
  ['iOS', IOS_PERMISSIONS],
])('the %s catalogue names each permission once', (_, catalogue) => {
  expect(new Set(namesOf(catalogue)).size).toBe(catalogue.length)
})

test.each(ANDROID_PERMISSIONS)('$name is a well-formed entry of the Android catalogue', (entry) => {
  expect(entry.name).toMatch(/^android\.permission\.[A-Z]+(_[A-Z]+)*$/)
  expect([
    ...ANDROID_MODULES,
    'location',
    'phone',
    'network',
    'camera',
    'microphone',
    'motion',
    'health',
  ]).toContain(entry.module)
  expect(Number.isInteger(entry.since)).toBe(true)
  expect(entry.since).toBeGreaterThanOrEqual(1)
  expect(entry.since).toBeLessThanOrEqual(36)
})

test.each(IOS_PERMISSIONS)('$name is a well-formed entry of the iOS catalogue', (entry) => {
  expect(entry.name).toMatch(/^NS[A-Z][A-Za-z]+UsageDescription$/)
  expect([
    ...IOS_MODULES,
    'location',
    'network',
    'camera',
    'microphone',
    'motion',
    'health',
    'tracking',
    'finance',
  ]).toContain(entry.module)
  expect(String(entry.since)).toMatch(/^\d{1,2}(\.\d)?$/)
  expect(entry.since).toBeGreaterThanOrEqual(6)
  expect(entry.since).toBeLessThanOrEqual(18)
})
