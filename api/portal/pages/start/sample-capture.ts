/** ISO timestamp `ms` milliseconds before the capture. */
const isoBefore = (at: Date, ms: number) => new Date(at.getTime() - ms).toISOString()

const DAY_MS = 86_400_000

/**
 * A small Android capture of a synthetic phone, sufficient for all fragments and for scores.
 *
 * @see GET /schemas/capture-1.json
 */
export const sampleCapture = (at: Date, deviceId: string) => ({
  format: 'capture/1',
  platform: 'android',
  collectedAt: at.toISOString(),
  sdk: {
    version: '4.1.0',
    modules: ['core', 'application', 'account', 'behavioral', 'calendar', 'contact', 'images', 'sms'],
  },
  device: {
    id: deviceId,
    brand: 'samsung',
    model: 'SM-A546E',
    osVersion: '14',
    apiLevel: 34,
    screen: { widthPx: 1080, heightPx: 2340, density: 2.8125 },
    ramTotalBytes: 7_935_000_000,
    ramFreeBytes: 2_210_000_000,
    storageTotalBytes: 118_000_000_000,
    storageFreeBytes: 40_100_000_000,
    battery: { level: 0.63, charging: false },
    locale: 'en-PH',
    timeZone: 'Asia/Manila',
    bootedAt: isoBefore(at, 2.4 * DAY_MS),
    emulator: false,
    rooted: false,
    developerMode: false,
    network: { kind: 'wifi', vpn: false, simCount: 2 },
  },
  permissions: [
    { name: 'android.permission.READ_CONTACTS', declared: true, granted: true },
    { name: 'android.permission.READ_SMS', declared: true, granted: false },
    { name: 'android.permission.READ_CALL_LOG', declared: false, granted: false },
  ],
  apps: [
    {
      package: 'com.whatsapp',
      category: 'communication',
      system: false,
      installedAt: isoBefore(at, 640 * DAY_MS),
      updatedAt: isoBefore(at, 12 * DAY_MS),
    },
  ],
  accounts: { count: 3, byType: { 'com.google': 2, 'com.facebook.auth.login': 1 } },
  contacts: { count: 312, withPhone: 300, withEmail: 41, groups: 4 },
  calendar: {
    events: 57,
    reminders: 12,
    firstAt: isoBefore(at, 700 * DAY_MS),
    lastAt: isoBefore(at, DAY_MS),
  },
  media: { images: { count: 2210, firstAt: isoBefore(at, 900 * DAY_MS), lastAt: isoBefore(at, DAY_MS) } },
  sms: {
    received: 890,
    sent: 120,
    firstAt: isoBefore(at, 500 * DAY_MS),
    lastAt: isoBefore(at, 0.1 * DAY_MS),
  },
  behaviour: {
    startedAt: isoBefore(at, 388_000),
    durationMs: 388_000,
    events: [
      { t: 1200, type: 'focus', target: 'fullName' },
      { t: 1450, type: 'key', target: 'fullName', kind: 'letter', dwellMs: 88, flightMs: 132 },
      { t: 1710, type: 'key', target: 'fullName', kind: 'backspace', dwellMs: 61, flightMs: 170 },
      { t: 9020, type: 'input', target: 'loanAmount', length: 5, pasted: false },
    ],
  },
})
