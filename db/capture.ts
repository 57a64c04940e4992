import { z } from 'zod'

/** The format name and version which this schema describes; the first member of every capture. */
export const CAPTURE_FORMAT = 'capture/1'

/** The wire number of each platform: `source` of datasetInfo, `platform` of a stored dataset. */
export const SOURCE_OF_PLATFORM = { android: 0, ios: 1, web: 2 } as const

export type Platform = keyof typeof SOURCE_OF_PLATFORM

/** Every platform, in the order of its wire number. */
export const PLATFORMS: readonly Platform[] = ['android', 'ios', 'web']

/** Upper bounds that keep one capture's cost bounded; a capture over one of them is invalid. */
export const CAPTURE_BOUNDS = {
  text: 1_000,
  longText: 4_000,
  permissions: 1_000,
  apps: 5_000,
  events: 50_000,
  listItems: 1_000,
} as const

const text = z.string().max(CAPTURE_BOUNDS.text)
const longText = z.string().max(CAPTURE_BOUNDS.longText)
const count = z.int().min(0)
const bytes = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
const milliseconds = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
/** zod's records know no bound of their own: the schema says it, and the check. */
const counts = z
  .record(text, count)
  .refine((byName) => Object.keys(byName).length <= CAPTURE_BOUNDS.listItems, 'Too many members')
  .meta({ maxProperties: CAPTURE_BOUNDS.listItems })
const coordinate = z.number().min(-1e9).max(1e9)
const instant = z.iso.datetime({ offset: true }).max(64)

const Screen = z.object({
  widthPx: count,
  heightPx: count,
  density: z.number().min(0).max(100).nullish(),
  orientation: z.number().min(-360).max(360).nullish(),
})

const Device = z.object({
  id: text
    .nullish()
    .meta({ description: 'Identifier of the device, chosen by the SDK and kept across captures' }),
  brand: text.nullish(),
  model: text.nullish(),
  osVersion: text.nullish(),
  apiLevel: count.max(10_000).nullish().meta({ description: 'Android API level' }),
  screen: Screen.nullish(),
  ramTotalBytes: bytes.nullish(),
  ramFreeBytes: bytes.nullish(),
  storageTotalBytes: bytes.nullish(),
  storageFreeBytes: bytes.nullish(),
  battery: z.object({ level: z.number().min(0).max(1).nullish(), charging: z.boolean().nullish() }).nullish(),
  locale: text.nullish().meta({ description: 'BCP 47 language tag' }),
  timeZone: text.nullish().meta({ description: 'IANA time zone name' }),
  bootedAt: instant.nullish(),
  emulator: z.boolean().nullish(),
  rooted: z.boolean().nullish().meta({ description: 'Rooted (Android) or jailbroken (iOS)' }),
  developerMode: z.boolean().nullish(),
  network: z
    .object({
      kind: text.nullish().meta({ description: 'wifi, cellular, ethernet, none or another word' }),
      vpn: z.boolean().nullish(),
      simCount: count.max(16).nullish(),
    })
    .nullish(),
})

const Permission = z.object({
  name: text.min(1),
  declared: z
    .boolean()
    .nullish()
    .meta({ description: 'Declared in the manifest; absent counts as declared' }),
  granted: z.boolean(),
})

const App = z.object({
  package: text.min(1),
  category: text.nullish(),
  system: z.boolean().nullish(),
  installedAt: instant.nullish(),
  updatedAt: instant.nullish(),
})

const span = { firstAt: instant.nullish(), lastAt: instant.nullish() }

const MediaKind = z.object({ count, ...span })

/**
 * One timed event. Flat on purpose: a member belongs to the types that name it, and an event of a type that
 * this version does not know is kept and ignored, so that a newer SDK's capture is still read.
 */
export const CaptureEvent = z.object({
  t: milliseconds.meta({ description: 'Since behaviour.startedAt' }),
  type: text.min(1).meta({
    description:
      'focus, blur, key, input, paste, touch, pointer, scroll, sensor, visibility; others are ignored',
  }),
  target: text.nullish().meta({ description: 'Name of the form field' }),
  kind: text
    .nullish()
    .meta({ description: 'key: letter, digit, symbol, space, backspace, delete, enter, tab, other' }),
  dwellMs: milliseconds.nullish().meta({ description: 'key: press to release' }),
  flightMs: z
    .number()
    .min(-1e9)
    .max(1e9)
    .nullish()
    .meta({ description: 'key: release of the key before to this press' }),
  length: count.nullish().meta({ description: 'input: characters in the field afterwards' }),
  pasted: z.boolean().nullish(),
  phase: text.nullish().meta({
    description: 'touch: start, move, end, cancel; pointer: move, down, up; visibility: hidden, visible',
  }),
  finger: count.max(100).nullish(),
  x: coordinate.nullish(),
  y: coordinate.nullish(),
  pressure: z.number().min(0).max(1_000).nullish(),
  sizePx: coordinate.nullish(),
  sensor: text.nullish().meta({ description: 'sensor: accelerometer, gyroscope, …' }),
  mean: z
    .number()
    .nullish()
    .meta({ description: 'sensor: mean magnitude over the summary window, SI units' }),
  sd: z.number().nullish().meta({ description: 'sensor: standard deviation of the magnitude' }),
})

/**
 * What the `data` of an upload holds: base64 of gzip of this, as UTF-8 JSON.
 *
 * Every section but `format`, `platform` and `collectedAt` is optional, unknown sections and members are ignored.
 * Sections hold counts and times only, never content (no names, numbers, messages or characters typed).
 *
 * @see the three example captures, and `/schemas/capture-1.json`
 */
export const Capture = z
  .object({
    format: z.literal(CAPTURE_FORMAT),
    platform: z.enum(['android', 'ios', 'web']),
    collectedAt: instant,
    sdk: z
      .object({ version: text.nullish(), modules: z.array(text).max(CAPTURE_BOUNDS.listItems).nullish() })
      .nullish(),
    device: Device.nullish(),
    permissions: z.array(Permission).max(CAPTURE_BOUNDS.permissions).nullish(),
    apps: z.array(App).max(CAPTURE_BOUNDS.apps).nullish(),
    accounts: z.object({ count, byType: counts.nullish() }).nullish(),
    contacts: z
      .object({ count, withPhone: count.nullish(), withEmail: count.nullish(), groups: count.nullish() })
      .nullish(),
    calendar: z.object({ events: count, reminders: count.nullish(), ...span }).nullish(),
    media: z
      .object({ images: MediaKind.nullish(), video: MediaKind.nullish(), audio: MediaKind.nullish() })
      .nullish(),
    sms: z.object({ received: count, sent: count, ...span }).nullish(),
    behaviour: z
      .object({
        startedAt: instant,
        durationMs: milliseconds,
        events: z.array(CaptureEvent).max(CAPTURE_BOUNDS.events),
      })
      .nullish(),
    web: z
      .object({
        browser: z
          .object({
            name: text.nullish(),
            version: text.nullish(),
            userAgent: longText.nullish(),
            languages: z.array(text).max(CAPTURE_BOUNDS.listItems).nullish(),
            cookiesEnabled: z.boolean().nullish(),
            hardwareConcurrency: count.nullish(),
            deviceMemoryGb: z.number().min(0).nullish(),
            webdriver: z.boolean().nullish(),
          })
          .nullish(),
        screen: Screen.nullish(),
        page: z
          .object({
            origin: longText.nullish(),
            path: longText.nullish(),
            fields: z
              .array(z.object({ name: text, kind: text.nullish() }))
              .max(CAPTURE_BOUNDS.listItems)
              .nullish(),
          })
          .nullish(),
      })
      .nullish(),
  })
  .meta({ title: 'Capture', description: 'Capture format, version 1' })

/** A decoded capture. */
export type Capture = z.output<typeof Capture>

/** One timed event of a capture's `behaviour`. */
export type CaptureEvent = z.output<typeof CaptureEvent>

/** One installed application of a capture. */
export type CaptureApp = z.output<typeof App>

/** One permission as the capture lists it. */
export type CapturePermission = z.output<typeof Permission>
